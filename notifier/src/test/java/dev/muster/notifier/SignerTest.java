package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

class SignerTest {

    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.US_ASCII);
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long AT_SECONDS = 1614265330;

    private static Signer signer(String secret) {
        return new Signer(Base64.getDecoder().decode(secret));
    }

    /** The example of the Standard Webhooks libraries. */
    @Test
    void signsAsStandardWebhooksDo() {
        Signer signer = signer("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        String expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assertThat(signer.sign(ID, AT_SECONDS, BODY)).isEqualTo(expected);
        assertThat(signer.sign(ID, AT_SECONDS, BODY)).as("again").isEqualTo(expected);
    }

    @Test
    void signsWithBothKeysUntilTheOldOnesTimeIsOver() {
        Subscription subscription =
                new Subscription(
                        UUID.randomUUID(),
                        new Subscription.Scope("p", null, Set.of(), Map.of()),
                        Endpoint.of("https://example.com"),
                        List.of(
                                new Subscription.Key(signer("bmV3"), Long.MAX_VALUE),
                                new Subscription.Key(signer("b2xk"), 5_000)));
        String before = subscription.signatures("id", 4_999, BODY);
        assertThat(before)
                .isEqualTo(
                        signer("bmV3").sign("id", 4, BODY)
                                + " "
                                + signer("b2xk").sign("id", 4, BODY));
        assertThat(subscription.signatures("id", 5_000, BODY))
                .isEqualTo(signer("bmV3").sign("id", 5, BODY));
    }
}
