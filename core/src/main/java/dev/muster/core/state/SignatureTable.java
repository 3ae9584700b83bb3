package dev.muster.core.state;

import dev.muster.domain.Ask;

/** Signatures of waiting jobs, counted by the wait classes that have them. */
final class SignatureTable {

    private final PairIndex index;
    private final SlotAllocator slots;
    private final RefColumn<Signature> signatures;
    private final IntColumn holders;
    private final NameTable models;

    SignatureTable(UndoLog undo) {
        this.index = new PairIndex(undo);
        this.slots = new SlotAllocator(undo);
        this.signatures = new RefColumn<>(undo);
        this.holders = new IntColumn(undo, 0);
        this.models = new NameTable(undo);
    }

    Signature get(int id) {
        return signatures.get(id);
    }

    int limit() {
        return slots.limit();
    }

    int acquire(Ask ask) {
        Signature signature = Signature.of(ask);
        int model = models.acquire(signature.model());
        long a = ((long) signature.cpuMillis() << 32) | signature.memoryMebibytes();
        long b = ((long) model << 32) | signature.thousandths();
        int id = index.find(a, b);
        if (id >= 0) {
            models.release(model);
        } else {
            id = slots.take();
            index.put(id, a, b);
            signatures.set(id, signature);
        }
        holders.add(id, 1);
        return id;
    }

    void release(int id) {
        holders.add(id, -1);
        if (holders.get(id) == 0) {
            int model = (int) (index.second(id) >>> 32);
            index.remove(id);
            signatures.set(id, null);
            slots.give(id);
            models.release(model);
        }
    }
}
