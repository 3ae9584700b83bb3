package dev.muster.platform.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import dev.muster.platform.codec.JobSpecJson.ViolationList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the members of a specification one after the other. What cannot be read is a violation with
 * its path, and reading goes on behind it. A JSON null is the same as an absent member.
 */
final class SpecReader {

    /** Reads the value of one member into a draft. */
    @FunctionalInterface
    interface Reading<T> {
        void read(SpecReader reader, String name, T draft) throws IOException;
    }

    /** The members of one kind of object. */
    record Members<T>(String kind, Map<String, Member<T>> byName) {}

    /**
     * @param bit tells whether the member was seen before
     */
    record Member<T>(long bit, Reading<T> reading) {}

    private static final int MAX_LIST_ENTRIES = 2_000;

    private final JsonParser parser;
    private final ViolationList found;
    private String list = "";
    private int index = -1;

    SpecReader(JsonParser parser, ViolationList found) {
        this.parser = parser;
        this.found = found;
    }

    /** False if the document is no object. */
    boolean document(JobDraft draft) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            found.add(JobSpecJson.BODY, "", "is empty", "a job specification");
            return false;
        }
        if (first != JsonToken.START_OBJECT) {
            found.add(JobSpecJson.BODY, shown(), "is no object", "a job specification");
            return false;
        }
        object(JobDraft.MEMBERS, draft);
        if (parser.nextToken() != null) {
            found.add(JobSpecJson.BODY, shown(), "goes on behind its end", "one JSON object");
        }
        draft.requireComplete(this);
        return true;
    }

    private <T> void object(Members<T> members, T draft) throws IOException {
        long seen = 0;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            Member<T> member = members.byName().get(name);
            if (member == null) {
                unknown(members, name);
                continue;
            }
            if ((seen & member.bit()) != 0) {
                violation(name, shown(), "is given twice", "once");
                parser.skipChildren();
                continue;
            }
            seen |= member.bit();
            if (parser.currentToken() != JsonToken.VALUE_NULL) {
                member.reading().read(this, name, draft);
            }
        }
    }

    private void unknown(Members<?> members, String name) throws IOException {
        String nearest = Nearest.to(name, members.byName().keySet());
        violation(
                cut(name),
                shown(),
                "is no member of " + members.kind(),
                nearest == null ? "" : "did you mean " + nearest + "?");
        parser.skipChildren();
    }

    /** Reads an object that is the value of a member of the specification itself. */
    <T> void nested(String name, Members<T> members, T draft) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            wrongKind(name, "is an object");
            return;
        }
        list = name;
        object(members, draft);
        list = "";
    }

    /** Makes the draft of an entry, also of one that is no object and so cannot be read. */
    @FunctionalInterface
    interface NewEntry<T> {
        T make(boolean readable);
    }

    /** Reads a list of objects; one that is none leaves an empty draft at its place. */
    <T> void entries(String name, Members<T> members, NewEntry<T> entry) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            wrongKind(name, "is a list");
            return;
        }
        list = name;
        index = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (index >= MAX_LIST_ENTRIES) {
                parser.skipChildren();
            } else if (parser.currentToken() == JsonToken.START_OBJECT) {
                object(members, entry.make(true));
            } else {
                entry.make(false);
                found.add(name + '[' + index + ']', shown(), "is an object", members.kind());
                parser.skipChildren();
            }
            index++;
        }
        list = "";
        if (index > MAX_LIST_ENTRIES) {
            violation(name, index, "has too many entries", "at most " + MAX_LIST_ENTRIES);
        }
        index = -1;
    }

    /** Takes one name and value. */
    @FunctionalInterface
    interface Pair {
        /** False if the name is there already. */
        boolean put(String name, String value);
    }

    /** Reads an object of any names with plain values. */
    void pairs(String name, Pair pair) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            wrongKind(name, "is an object of names and values");
            return;
        }
        list = name;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            String value = plain(cut(key));
            if (value != null && !encodable(key)) {
                violation(cut(key), "", "has characters that no name may have", "");
            } else if (value != null && !pair.put(key, value)) {
                violation(cut(key), "(not shown)", "is given twice", "once");
            }
        }
        list = "";
    }

    /** Reads a list of texts; one that is none is an empty text at its place. */
    void texts(String name, Consumer<String> each) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            wrongKind(name, "is a list of texts");
            return;
        }
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (count < MAX_LIST_ENTRIES) {
                each.accept(text(name + '[' + count + ']', ""));
            } else {
                parser.skipChildren();
            }
            count++;
        }
        if (count > MAX_LIST_ENTRIES) {
            violation(name, count, "has too many entries", "at most " + MAX_LIST_ENTRIES);
        }
    }

    /** Null, with a violation, if the value is no text. */
    @Nullable String text(String name) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            wrongKind(name, "is a text");
            return null;
        }
        String text = parser.getText();
        if (!encodable(text)) {
            violation(name, text, "has a zero character or half a surrogate pair", "");
            return null;
        }
        return text;
    }

    String text(String name, String fallback) throws IOException {
        String text = text(name);
        return text == null ? fallback : text;
    }

    /**
     * A text, number or truth value as it is written; it is never shown, since it may be secret.
     */
    @Nullable String plain(String name) throws IOException {
        JsonToken token = parser.currentToken();
        if (!token.isScalarValue() || token == JsonToken.VALUE_NULL) {
            violation(name, "(not shown)", "is a text, a number or a truth value", "");
            parser.skipChildren();
            return null;
        }
        String text = parser.getText();
        if (!encodable(text)) {
            violation(name, "(not shown)", "has a zero character or half a surrogate pair", "");
            return null;
        }
        return text;
    }

    int integer(String name, int fallback) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            wrongKind(name, "is a whole number");
            return fallback;
        }
        if (parser.getNumberType() != JsonParser.NumberType.INT) {
            violation(name, shown(), "is out of range", "");
            return fallback;
        }
        return parser.getIntValue();
    }

    boolean truth(String name, boolean fallback) throws IOException {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            wrongKind(name, "is true or false");
            return fallback;
        }
        return token == JsonToken.VALUE_TRUE;
    }

    /** One of a few words, which are the constants' names in small letters. */
    <E extends Enum<E>> E choice(String name, E[] values, E fallback) throws IOException {
        String text = text(name);
        if (text == null) {
            return fallback;
        }
        StringBuilder allowed = new StringBuilder();
        for (E value : values) {
            String word = value.name().toLowerCase(Locale.ROOT);
            if (word.equals(text)) {
                return value;
            }
            allowed.append(allowed.isEmpty() ? "" : ", ").append(word);
        }
        violation(name, text, "is none of the choices", allowed.toString());
        return fallback;
    }

    /** A name of the domain, whose own rule speaks if it is broken. */
    <T> T name(String name, Function<String, T> type, T fallback) throws IOException {
        String text = text(name);
        if (text == null) {
            return fallback;
        }
        try {
            return type.apply(text);
        } catch (IllegalArgumentException e) {
            violation(name, text, String.valueOf(e.getMessage()), "");
            return fallback;
        }
    }

    /** A quantity as a number or a text with a unit. */
    int quantity(String name, Quantities unit) throws IOException {
        JsonToken token = parser.currentToken();
        if (!token.isNumeric() && token != JsonToken.VALUE_STRING) {
            wrongKind(name, "is an amount");
            return 0;
        }
        String text = parser.getText();
        long amount = unit.parse(text);
        if (amount == Quantities.MALFORMED) {
            violation(name, text, "is no amount", unit.form());
            return 0;
        }
        if (amount > Integer.MAX_VALUE) {
            violation(name, text, "is too large", "");
            return 0;
        }
        return (int) amount;
    }

    private void wrongKind(String name, String rule) throws IOException {
        violation(name, shown(), rule, "");
        parser.skipChildren();
    }

    /** A violation of the member of the object that is being read. */
    void violation(String name, Object value, String rule, String allowed) {
        found.add(path(name), value, rule, allowed);
    }

    /** A violation of the given path of the specification. */
    void found(String path, Object value, String rule, String allowed) {
        found.add(path, value, rule, allowed);
    }

    private String path(String name) {
        if (list.isEmpty()) {
            return name;
        }
        return index < 0 ? list + '.' + name : list + '[' + index + "]." + name;
    }

    /** A member that is missing in the given entry of a list, or in the specification itself. */
    void missing(String path) {
        found.add(path, "", "is missing", "");
    }

    private String shown() throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            return "{…}";
        }
        if (token == JsonToken.START_ARRAY) {
            return "[…]";
        }
        return String.valueOf(parser.getText());
    }

    private static String cut(String name) {
        return name.length() <= 128 ? name : name.substring(0, 128) + '…';
    }

    /** PostgreSQL, environments and argument lists know no zero; UTF-8 knows no half pair. */
    private static boolean encodable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return false;
            }
            if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }
}
