/** The migrations that this version needs; a test compares the list with prisma/migrations. */
export const EXPECTED_MIGRATIONS: readonly string[] = [
  '20261130160000_init',
  '20261130170000_probe_certificate',
  '20261130180000_attempt_plan',
  '20261130193000_attempt_counters',
  '20261130201000_background_legs',
  '20261130203000_attempt_conducted',
  '20261130225500_attempt_series',
  '20261130233000_leg_diagnosis',
  '20261130235500_run_reparsed',
];
