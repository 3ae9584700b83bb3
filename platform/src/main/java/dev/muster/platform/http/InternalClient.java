package dev.muster.platform.http;

import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;

import dev.muster.platform.config.Settings;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;

/** Requests to another service's internal API, with the service token. Bodies may be streamed. */
public final class InternalClient {

    private static final int CONNECT_MILLIS = 2000;

    private final HttpClientAgent client;
    private final String token;

    public InternalClient(Vertx vertx, Settings settings) {
        this.client =
                vertx.createHttpClient(
                        new HttpClientOptions()
                                .setConnectTimeout(CONNECT_MILLIS)
                                .setKeepAlive(true)
                                .setIdleTimeout(300),
                        new PoolOptions().setHttp1MaxSize(32).setMaxWaitQueueSize(256));
        this.token = settings.get(SERVICE_TOKEN);
    }

    /**
     * A request to be sent, its answer to be read by the caller.
     *
     * @param baseUrl as the service directory has it, {@code http://127.0.0.1:8123}
     * @param path with query, begins with a slash
     */
    public Future<HttpClientRequest> request(HttpMethod method, String baseUrl, String path) {
        RequestOptions options =
                new RequestOptions().setAbsoluteURI(baseUrl + path).setMethod(method);
        options.putHeader("Authorization", "Bearer " + token);
        return client.request(options);
    }

    public Future<Void> close() {
        return client.close();
    }
}
