/** Every wait of the execution side, in one place. Milliseconds. */
export const TIMING = {
  /** Every replica looks for free legs and for legs without a live owner this often, besides when it is told to. */
  reconcileMs: 2_000,
  heartbeatMs: 1_000,
  /** An owner that has said nothing for this long is dead; its leg may be taken. */
  ownerStaleMs: 4_000,
  /** How long a claim lasts before its leg's first attempt; after that, past the attempt's end (claimMarginMs). */
  claimMs: 60_000,
  claimMarginMs: 20_000,

  /** How long one try waits for a probe that is not there (it may be restarting); with the retries some 5 s in all. */
  reachMs: 1_500,
  /** How long a probe that is there may take to answer. */
  answerMs: 2_500,
  respondMs: 6_000,
  snapshotMs: 3_000,
  /** From the start of the test's own program to the start of those that read facts of the host: it connects, and nothing overflows yet. */
  factsAfterMs: 80,

  stopMs: 1_000,
  /** How often a probe that was away when an attempt had to end is asked again to end it. */
  pursueMs: 500,
  /** An Execute stream that says nothing for this long is broken (probes say that they are alive every second). */
  silenceMs: 3_500,
  /** How long past its longest duration an attempt is still asked for. */
  lostAfterMs: 10_000,
  /** How long a far side may take to end after the near side has. */
  farEndMs: 1_500,
  /** A far probe that stays away for this long after the near side failed is taken for the cause. */
  farLostMs: 3_000,

  inventoryAgeMs: 15_000,
  healthMs: 10_000,
  sweepMs: 30_000,
  /** Live samples are stored and told in batches. */
  flushMs: 250,
} as const;
