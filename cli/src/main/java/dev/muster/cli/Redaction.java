package dev.muster.cli;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes known secrets out of a text, in the forms in which they travel. Only the second line: what
 * is put into a bundle is chosen so that there is none in it.
 */
final class Redaction {

    private static final String SHOWN = "***";

    /** Shorter ones would turn ordinary words into stars. */
    private static final int LEAST_CHARS = 6;

    /** {@code user:password@} of an address, and bearer tokens of whoever. */
    private static final Pattern CREDENTIALS =
            Pattern.compile("(?i)(//[^/\\s:@]+:)[^@\\s/]+@|(bearer\\s+)[a-z0-9._~+/=-]{8,}");

    private final List<String> forms = new ArrayList<>();

    Redaction(Collection<String> secrets) {
        for (String each : secrets) {
            if (each.length() < LEAST_CHARS) {
                continue;
            }
            forms.add(each);
            forms.add(URLEncoder.encode(each, StandardCharsets.UTF_8));
            byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
            forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        }
        // a secret may be a part of another one
        forms.sort(Comparator.comparingInt(String::length).reversed());
    }

    /** Of all settings that are declared secret. */
    static Redaction of(Settings settings) {
        List<String> secrets = new ArrayList<>();
        for (Setting<?> each : Declarations.allSettings()) {
            if (each.isSecret()) {
                secrets.add(String.valueOf(settings.get(each)));
            }
        }
        return new Redaction(secrets);
    }

    String of(String text) {
        String safe = text;
        for (String each : forms) {
            safe = safe.replace(each, SHOWN);
        }
        return CREDENTIALS.matcher(safe).replaceAll("$1$2" + SHOWN);
    }
}
