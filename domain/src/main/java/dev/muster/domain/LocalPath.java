package dev.muster.domain;

import java.util.List;

/** Rules of paths inside an instance. */
final class LocalPath {

    static final String FORM = "an absolute path without . and .. elements";

    private static final String HOME = "/home/ma-user";
    private static final List<String> RESERVED =
            List.of(HOME + "/modelarts", HOME + "/modelarts-dev", HOME + "/infer");

    private LocalPath() {}

    /** Absolute, with no empty, {@code .} or {@code ..} element and no control character. */
    static boolean isNormalAbsolute(String path) {
        return path.startsWith("/") && elementsAllowed(path, 1);
    }

    /** Below a directory: not absolute, and no element leads out of it. */
    static boolean isNormalRelative(String path) {
        return !path.isEmpty() && !path.startsWith("/") && elementsAllowed(path, 0);
    }

    private static boolean elementsAllowed(String path, int start) {
        int end = path.endsWith("/") ? path.length() - 1 : path.length();
        int from = start;
        while (from < end) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 || slash > end ? end : slash;
            if (to == from || isDots(path, from, to)) {
                return false;
            }
            from = to + 1;
        }
        return path.chars().noneMatch(Character::isISOControl);
    }

    static boolean isDots(String text, int from, int to) {
        int length = to - from;
        return (length == 1 && text.charAt(from) == '.')
                || (length == 2 && text.startsWith("..", from));
    }

    /**
     * Whether a user's code may lie there: under /home, not /home/ma-user itself, and nothing in
     * the platform's own directories but the default (V).
     */
    static boolean mayHoldCode(String path) {
        String trimmed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        if (trimmed.equals(JobSpec.Code.DEFAULT_LOCAL_CODE_DIR)) {
            return true;
        }
        if (!trimmed.startsWith("/home/") || trimmed.equals(HOME)) {
            return false;
        }
        return RESERVED.stream()
                .noneMatch(dir -> trimmed.equals(dir) || trimmed.startsWith(dir + "/"));
    }
}
