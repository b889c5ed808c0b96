-- How probes and control plane say that an attempt ended, before its output was read: with the artifacts, all that a new reading needs.
-- AlterTable
ALTER TABLE "attempt" ADD COLUMN "conducted" JSONB;
