-- When a new reading of stored output last replaced part of a run's record, and which version of Plumbline made it.
-- AlterTable
ALTER TABLE "run" ADD COLUMN "reparsed_at" TIMESTAMPTZ(3),
ADD COLUMN "reparsed_by" TEXT;
