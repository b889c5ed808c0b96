-- What a kind planned for an attempt, whole: an adaptive step goes on from its rows after a restart.
-- AlterTable
ALTER TABLE "attempt" ADD COLUMN "optional" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "schema_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN "starts_at" "End" NOT NULL DEFAULT 'near';
