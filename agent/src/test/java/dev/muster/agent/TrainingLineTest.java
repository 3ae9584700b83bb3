package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingLineTest {

    private static void says(String line, long step, double loss, String checkpoint) {
        TrainingLine said = TrainingLine.parse(line);
        assertThat(said.step().orElse(-1)).as(line).isEqualTo(step);
        assertThat(said.loss().orElse(-1)).as(line).isEqualTo(Double.valueOf(loss));
        assertThat(said.checkpoint()).as(line).isEqualTo(checkpoint);
    }

    @Test
    void readsTheLineProtocol() {
        says("[muster] step=120 loss=0.25 epoch=3 checkpoint=out/c-1.pt", 120, 0.25, "out/c-1.pt");
        says("2026-01-02 INFO [muster] checkpoint=c.pt colour=red", -1, -1, "c.pt");
        says("[muster] step=x loss=y", -1, -1, "");
        says("[muster] loss=nan", -1, Double.NaN, "");
    }

    @Test
    void readsTheLinesOfCommonTrainers() {
        says("step=20 loss=0.4123 accuracy=0.71", 20, 0.4123, "");
        says("{'loss': 0.4561, 'learning_rate': 4.5e-05, 'epoch': 0.31}", -1, 0.4561, "");
        says(" 10%|█    | 100/1000 [00:10<01:30, 10.00it/s]", 100, -1, "");
        says("Epoch 3:  45%|████▌| 45/100 [00:04<00:05, 10.0it/s, loss=0.3, v_num=1]", 45, 0.3, "");
        says(
                " iteration       10/  500000 | consumed samples:  320 | elapsed time per iteration"
                        + " (ms): 1234.5 | lm loss: 1.043E+01 | grad norm: 1.2 |",
                10,
                10.43,
                "");
        says("  successfully saved checkpoint at iteration     500 to /ckpt", -1, -1, "/ckpt");
        says("Saving model checkpoint to out/checkpoint-500", -1, -1, "out/checkpoint-500");
        says("[Rank 0] step=10, skipped=0, lr=[1e-3], mom=[0.9]", 10, -1, "");
        says("epoch: 1 step: 100, loss is 0.123", 100, 0.123, "");
        says("Step 20/100, Loss: 1.5", 20, 1.5, "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "downloading model 100/200",
                "stepping 20 times",
                "first_step_seconds=20",
                "glossary = 20",
                "lossless: 5",
                "step=99999999999999999999999",
            })
    void hearsNothingInOtherLines(String line) {
        assertThat(TrainingLine.parse(line)).isEqualTo(TrainingLine.NOTHING);
    }
}
