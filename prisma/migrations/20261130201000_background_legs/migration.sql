-- A background leg gives way to exclusive ones and goes on when they are over.
-- AlterTable
ALTER TABLE "leg" ADD COLUMN "background" BOOLEAN NOT NULL DEFAULT false;
