-- What a leg's tests say together, by which set of rules; its findings stand at its steps.
-- AlterTable
ALTER TABLE "leg" ADD COLUMN "diagnosis" JSONB;
