package dev.muster.platform.http;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** Bearer tokens kept as files of mode 0600 in the data directory; made at first need. */
public final class Tokens {

    /** File of the public API's token, where the command line finds it. */
    public static final String API_FILE = "token";

    /** File of the token between services. */
    public static final String SERVICE_FILE = "service-token";

    /** File of the key under which secrets are stored. */
    public static final String SECRETS_FILE = "secrets-key";

    private static final int RANDOM_BYTES = 32;

    private Tokens() {}

    /**
     * The settings with both tokens and the key of secrets: as configured, or else as the files
     * hold them.
     *
     * @throws UncheckedIOException if a file can be neither read nor made
     */
    public static Settings complete(Settings settings, Path dataDir) {
        Settings withApi =
                complete(settings, PlatformSettings.API_TOKEN, dataDir.resolve(API_FILE));
        Settings withService =
                complete(withApi, PlatformSettings.SERVICE_TOKEN, dataDir.resolve(SERVICE_FILE));
        return complete(withService, PlatformSettings.SECRETS_KEY, dataDir.resolve(SECRETS_FILE));
    }

    /** The same for who only looks: what there is no file for stays unset, and none is made. */
    public static Settings known(Settings settings, Path dataDir) {
        Settings withApi = known(settings, PlatformSettings.API_TOKEN, dataDir.resolve(API_FILE));
        Settings withService =
                known(withApi, PlatformSettings.SERVICE_TOKEN, dataDir.resolve(SERVICE_FILE));
        return known(withService, PlatformSettings.SECRETS_KEY, dataDir.resolve(SECRETS_FILE));
    }

    private static Settings known(Settings settings, Setting<String> setting, Path file) {
        if (!settings.get(setting).isEmpty()) {
            return settings;
        }
        try {
            return settings.with(setting, read(file));
        } catch (IOException e) {
            return settings;
        }
    }

    private static Settings complete(Settings settings, Setting<String> setting, Path file) {
        return settings.get(setting).isEmpty()
                ? settings.with(setting, readOrMake(file))
                : settings;
    }

    /** The file's token; makes the file if it is missing. */
    static String readOrMake(Path file) {
        try {
            return read(file);
        } catch (NoSuchFileException e) {
            return make(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    private static String read(Path file) throws IOException {
        String token = Files.readString(file).strip();
        if (token.isEmpty()) {
            throw new IOException(file + " is empty");
        }
        return token;
    }

    private static String make(Path file) {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Path fresh = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            // whole before it has its name, so that another process never reads half of it
            Files.deleteIfExists(fresh);
            Files.createFile(
                    fresh,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, token.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
            Files.createLink(file, fresh);
            return token;
        } catch (FileAlreadyExistsException e) {
            return readOrMake(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written", e);
        } finally {
            discard(fresh);
        }
    }

    private static void discard(Path fresh) {
        try {
            Files.deleteIfExists(fresh);
        } catch (IOException e) {
            throw new UncheckedIOException(fresh + " cannot be deleted", e);
        }
    }
}
