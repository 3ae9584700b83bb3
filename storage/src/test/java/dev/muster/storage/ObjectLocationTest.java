package dev.muster.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

class ObjectLocationTest {

    @Test
    void readsAndWritesTheUsualForm() {
        ObjectLocation location = ObjectLocation.parse("obs://b/training-test/demo-code/");
        assertThat(location)
                .isEqualTo(new ObjectLocation("obs", "b", "training-test/demo-code/"))
                .hasToString("obs://b/training-test/demo-code/");
        assertThat(location.lastElement()).isEqualTo("demo-code");
        assertThat(location.asObject().resolve("x/y"))
                .hasToString("obs://b/training-test/demo-code/x/y");
        assertThat(ObjectLocation.parse("s3://bucket").asFolder()).hasToString("s3://bucket/");
    }

    @ParameterizedTest
    @CsvSource({
        "bucket/key,           is not an object location",
        "OBS://b/key,          scheme 'OBS'",
        "obs:///key,           bucket ''",
        "obs://../key,         bucket '..'",
        "obs://b/a/../../etc,  key 'a/../../etc'",
        "obs://b//etc,         key '/etc'",
        "obs://b/a//b,         key 'a//b'",
        "obs://b/./a,          key './a'",
    })
    void refusesWhatLeadsElsewhereInOneSentence(String text, String part) {
        assertThatThrownBy(() -> ObjectLocation.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part);
    }

    @Test
    void namesTheSchemesThatAreConfigured() {
        assertThatThrownBy(
                        () -> ObjectStores.of(Map.of()).serving(ObjectLocation.parse("bos://b/k")))
                .hasMessageContaining("no store is configured for the scheme 'bos'");
    }
}
