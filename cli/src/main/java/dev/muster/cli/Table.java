package dev.muster.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows in columns as wide as their widest cell. */
final class Table {

    private static final int GAP = 2;

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... header) {
        rows.add(List.of(header));
    }

    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + GAP);
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
        return out.substring(0, out.length() - 1);
    }
}
