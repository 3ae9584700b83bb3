package dev.muster.platform.codec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;

import dev.muster.domain.JobSpec;
import dev.muster.domain.JobSpecRules;
import dev.muster.domain.Limit;
import dev.muster.domain.Limits;
import dev.muster.domain.Violation;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads and writes job specifications as JSON. The reader is written by hand, since it lies on the
 * hot path and has to give every violation of a specification in one answer; it never throws for
 * what a user sends. Safe for use by several threads.
 */
public final class JobSpecJson {

    /** What became of a specification. */
    public sealed interface Parsed {

        /**
         * @param canonical sorted keys, every default filled in: equal for equal specifications
         * @param hash SHA-256 of {@code canonical}, in hexadecimal
         */
        @SuppressWarnings(
                "ArrayRecordComponent") // compared by nobody; a copy would cost the hot path
        record Accepted(JobSpec spec, byte[] canonical, String hash) implements Parsed {}

        /** All that is wrong with it; never empty. */
        record Refused(List<Violation> violations) implements Parsed {}
    }

    /** The path of a violation that concerns the document as a whole. */
    public static final String BODY = "body";

    private final Limits limits;
    private final JsonFactory factory;

    public JobSpecJson(Limits limits) {
        this.limits = limits;
        StreamReadConstraints constraints =
                StreamReadConstraints.builder()
                        .maxNestingDepth(limits.get(Limit.SPEC_DEPTH))
                        .maxDocumentLength(limits.get(Limit.SPEC_BYTES))
                        .maxStringLength(limits.get(Limit.SPEC_BYTES))
                        .maxNameLength(limits.get(Limit.SPEC_BYTES))
                        .build();
        // Field names come from users: interning or caching them would let them grow the cache.
        this.factory =
                JsonFactory.builder()
                        .streamReadConstraints(constraints)
                        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                        .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                        .build();
    }

    /** Reads and checks a specification as a user sends it. */
    public Parsed parse(byte[] body) {
        if (body.length > limits.get(Limit.SPEC_BYTES)) {
            return new Parsed.Refused(
                    List.of(
                            Violation.of(
                                    BODY,
                                    body.length + " bytes",
                                    "is too large for a specification",
                                    "at most " + limits.get(Limit.SPEC_BYTES) + " bytes")));
        }
        JobDraft draft = new JobDraft();
        ViolationList found = new ViolationList(limits.get(Limit.VIOLATIONS));
        if (!read(body, draft, found)) {
            return new Parsed.Refused(found.list());
        }
        JobSpec spec = draft.toSpec();
        List<Violation> violations = found.join(JobSpecRules.check(spec, limits));
        if (!violations.isEmpty()) {
            return new Parsed.Refused(violations);
        }
        byte[] canonical = SpecWriter.write(spec);
        if (canonical.length > limits.get(Limit.SPEC_BYTES)) {
            return new Parsed.Refused(
                    List.of(
                            Violation.of(
                                    BODY,
                                    canonical.length + " bytes with its defaults",
                                    "is too large for a specification",
                                    "at most " + limits.get(Limit.SPEC_BYTES) + " bytes")));
        }
        return new Parsed.Accepted(spec, canonical, hash(canonical));
    }

    /**
     * False if the body is no JSON to its end: then nothing can be said of what is missing in it.
     */
    private boolean read(byte[] body, JobDraft draft, ViolationList found) {
        try (JsonParser parser = factory.createParser(body)) {
            SpecReader reader = new SpecReader(parser, found);
            return reader.document(draft);
        } catch (JsonProcessingException e) {
            found.add(BODY, place(e), "is no valid JSON: " + reason(e), "");
        } catch (IOException e) {
            found.add(BODY, "", "is no text in UTF-8", "");
        }
        return false;
    }

    private static String place(JsonProcessingException e) {
        return e.getLocation() == null
                ? ""
                : "line "
                        + e.getLocation().getLineNr()
                        + ", column "
                        + e.getLocation().getColumnNr();
    }

    /** The parser's own words, without hints to its configuration and cut to one short line. */
    private static String reason(JsonProcessingException e) {
        String text = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(text.length(), 160); i++) {
            char c = text.charAt(i);
            shown.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
        }
        return shown.toString();
    }

    /**
     * Reads a specification that was accepted once; today's limits do not concern it.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static JobSpec decode(byte[] canonical) {
        JobDraft draft = new JobDraft();
        ViolationList found = new ViolationList(1);
        boolean whole = STORED.read(canonical, draft, found);
        if (!whole || !found.list().isEmpty()) {
            throw new IllegalArgumentException("no stored specification: " + found.list());
        }
        return draft.toSpec();
    }

    private static final JobSpecJson STORED = new JobSpecJson(Limits.of(Limit::greatest));

    /** The one form of a specification: sorted keys, every default filled in. */
    public static byte[] canonical(JobSpec spec) {
        return SpecWriter.write(spec);
    }

    /** SHA-256 in hexadecimal. */
    public static String hash(byte[] canonical) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Violations of form, as found while reading, joined with those of the rules. */
    static final class ViolationList {

        private final int most;
        private final List<Violation> found = new ArrayList<>();

        ViolationList(int most) {
            this.most = most;
        }

        void add(String path, Object value, String rule, String allowed) {
            if (found.size() < most) {
                found.add(Violation.of(path, value, rule, allowed));
            }
        }

        List<Violation> list() {
            return List.copyOf(found);
        }

        /** A rule has nothing to say about a field that could not be read. */
        List<Violation> join(List<Violation> rules) {
            if (found.isEmpty()) {
                return rules;
            }
            List<Violation> joined = new ArrayList<>(found);
            for (Violation violation : rules) {
                if (joined.size() < most && !unread(violation.path())) {
                    joined.add(violation);
                }
            }
            return List.copyOf(joined);
        }

        private boolean unread(String path) {
            for (Violation violation : found) {
                String broken = violation.path();
                if (path.startsWith(broken)
                        && (path.length() == broken.length()
                                || path.charAt(broken.length()) == '.'
                                || path.charAt(broken.length()) == '[')) {
                    return true;
                }
            }
            return found.stream().anyMatch(v -> v.path().equals("bootFile"))
                    && path.equals("command");
        }
    }
}
