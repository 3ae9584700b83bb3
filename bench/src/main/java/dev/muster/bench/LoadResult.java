package dev.muster.bench;

import io.vertx.core.json.JsonObject;

/**
 * What a generator saw.
 *
 * @param accepted answers 202
 * @param refused other answers and broken connections
 * @param seconds from the first request to the last answer
 * @param lastAnswerMillis wall clock at the last 202
 */
record LoadResult(
        long accepted,
        long refused,
        double seconds,
        long lastAnswerMillis,
        double p50Millis,
        double p99Millis,
        long ended,
        double endedSeconds,
        double startP50Millis,
        double startP99Millis) {

    double perSecond() {
        return accepted / seconds;
    }

    static LoadResult parse(String line) {
        JsonObject o = new JsonObject(line);
        return new LoadResult(
                o.getLong("accepted"),
                o.getLong("refused"),
                o.getDouble("seconds"),
                o.getLong("lastAnswerMillis"),
                o.getDouble("p50"),
                o.getDouble("p99"),
                o.getLong("ended"),
                o.getDouble("endedSeconds"),
                o.getDouble("startP50"),
                o.getDouble("startP99"));
    }

    String line() {
        return new JsonObject()
                .put("accepted", accepted)
                .put("refused", refused)
                .put("seconds", seconds)
                .put("lastAnswerMillis", lastAnswerMillis)
                .put("p50", p50Millis)
                .put("p99", p99Millis)
                .put("ended", ended)
                .put("endedSeconds", endedSeconds)
                .put("startP50", startP50Millis)
                .put("startP99", startP99Millis)
                .encode();
    }
}
