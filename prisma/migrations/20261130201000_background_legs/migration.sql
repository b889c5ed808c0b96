-- A background leg gives way to exclusive ones and goes on when they are over.
-- AlterTable
ALTER TABLE "leg" ADD COLUMN "background" BOOLEAN NOT NULL DEFAULT false;

-- Between giving way and going on it is running and holds nothing.
ALTER TABLE "leg" DROP CONSTRAINT "leg_running_is_claimed";
ALTER TABLE "leg" ADD CONSTRAINT "leg_running_is_claimed" CHECK ("state" <> 'running' OR "fence" IS NOT NULL OR "background");
