package dev.muster.notifier;

import java.net.URI;
import java.util.Locale;

/**
 * Where a subscription's deliveries go.
 *
 * @param path with query
 */
record Endpoint(boolean tls, String host, int port, String path) {

    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    /**
     * @param url as the gateway accepted it
     * @throws IllegalArgumentException if it is no address of the web
     */
    static Endpoint of(String url) {
        URI uri = URI.create(url);
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean tls = scheme.equals("https");
        String host = uri.getHost();
        if (host == null || !(tls || scheme.equals("http"))) {
            throw new IllegalArgumentException("no address of the web");
        }
        int port = uri.getPort();
        if (port < 0) {
            port = tls ? HTTPS : HTTP;
        }
        String path =
                uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        if (uri.getRawQuery() != null) {
            path += "?" + uri.getRawQuery();
        }
        return new Endpoint(tls, host.toLowerCase(Locale.ROOT), port, path);
    }

    /** What a circuit is for: the server, whatever the path. */
    String target() {
        return (tls ? "https://" : "http://") + host + ":" + port;
    }
}
