-- AlterTable
ALTER TABLE "attempt" ADD COLUMN "counters" JSONB;
