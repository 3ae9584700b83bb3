package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.util.function.Supplier;

/** {@code -o table|json|yaml}. */
final class OutputOption {

    /** Forms of what a command prints. */
    enum Form {
        TABLE,
        JSON,
        YAML
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table, json or yaml (default: ${DEFAULT-VALUE}).")
    private Form form = Form.TABLE;

    Form form() {
        return form;
    }

    void print(PrintWriter out, JsonNode document, Supplier<String> table) {
        switch (form) {
            case TABLE -> out.println(table.get());
            case JSON -> out.println(Documents.pretty(document));
            case YAML -> out.println(Documents.yaml(document));
        }
        out.flush();
    }
}
