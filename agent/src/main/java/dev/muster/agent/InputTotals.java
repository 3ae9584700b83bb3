package dev.muster.agent;

import dev.muster.storage.ObjectInfo;

import java.io.IOException;

/** Adds an input up and stops at the first object that breaks a limit. */
final class InputTotals {

    /** Carried through the listing of a store. */
    static final class TooBig extends IOException {

        private static final long serialVersionUID = 1L;

        private final String sentence;

        private TooBig(String sentence) {
            super(sentence);
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    private final InputPlan input;
    private final DataLimits limits;
    private int files;
    private long bytes;

    InputTotals(InputPlan input, DataLimits limits) {
        this.input = input;
        this.limits = limits;
    }

    boolean isEmpty() {
        return files == 0;
    }

    void add(ObjectInfo object) throws TooBig {
        files++;
        bytes += object.size();
        if (object.size() > limits.inputFileBytes()) {
            throw tooBig(
                    object,
                    "has " + object.size() + " bytes, a file may have " + limits.inputFileBytes());
        } else if (bytes > limits.inputBytes()) {
            throw tooBig(
                    object,
                    "brings the input above its limit of " + limits.inputBytes() + " bytes");
        } else if (files > limits.inputFiles()) {
            throw tooBig(
                    object,
                    "brings the input above its limit of " + limits.inputFiles() + " files");
        }
    }

    private TooBig tooBig(ObjectInfo object, String why) {
        return new TooBig(
                "input " + input.name() + " is too big: " + object.location() + " " + why);
    }
}
