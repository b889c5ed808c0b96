-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "RunState" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "StepState" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'skipped');

-- CreateEnum
CREATE TYPE "Verdict" AS ENUM ('pass', 'fail', 'inconclusive', 'none');

-- CreateEnum
CREATE TYPE "Outcome" AS ENUM ('completed', 'partial', 'refused', 'failed', 'timed-out', 'cancelled', 'lost');

-- CreateEnum
CREATE TYPE "End" AS ENUM ('near', 'far');

-- CreateTable
CREATE TABLE "access_token" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "access_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site" (
    "name" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "labels" JSONB,
    "shared_links" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "probe" (
    "name" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "endpoints" JSONB NOT NULL,
    "inventory" JSONB,
    "state" TEXT NOT NULL DEFAULT 'unknown',
    "reason" TEXT,
    "version" TEXT,
    "enrolled" BOOLEAN NOT NULL DEFAULT false,
    "certificate_hash" TEXT,
    "certificate_not_after" TIMESTAMPTZ(3),
    "clock_offset_ms" DOUBLE PRECISION,
    "last_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "probe_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "enrolment_token" (
    "hash" TEXT NOT NULL,
    "probe" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "enrolment_token_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "path" (
    "name" TEXT NOT NULL,
    "source_probe" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "dest_probe" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "path_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "plan" (
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "plan_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "plan_version" (
    "plan" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "document" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "plan_version_pkey" PRIMARY KEY ("plan","version")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "state" "RunState" NOT NULL DEFAULT 'queued',
    "verdict" "Verdict" NOT NULL DEFAULT 'none',
    "plan_name" TEXT,
    "plan_version" INTEGER,
    "plan_document" JSONB NOT NULL,
    "label" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "not_before" TIMESTAMPTZ(3),
    "not_after" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "last_event" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leg" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "path_name" TEXT NOT NULL,
    "path_document" JSONB NOT NULL,
    "state" "RunState" NOT NULL DEFAULT 'queued',
    "reason" TEXT,
    "detail" TEXT,
    "verdict" "Verdict" NOT NULL DEFAULT 'none',
    "criteria" JSONB NOT NULL DEFAULT '[]',
    "exclusive" BOOLEAN NOT NULL,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "not_before" TIMESTAMPTZ(3),
    "not_after" TIMESTAMPTZ(3),
    "fence" BIGINT,
    "claimed_at" TIMESTAMPTZ(3),
    "owner" TEXT,
    "owner_epoch" INTEGER NOT NULL DEFAULT 0,
    "owner_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "leg_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "claim" (
    "id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "span" int8range NOT NULL,
    "fence" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "claim_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "step" (
    "id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT,
    "state" "StepState" NOT NULL DEFAULT 'queued',
    "reason" TEXT,
    "detail" TEXT,
    "findings" JSONB NOT NULL DEFAULT '[]',
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "step_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "id" UUID NOT NULL,
    "step_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "repeat" INTEGER NOT NULL,
    "plan_index" INTEGER NOT NULL,
    "cell" JSONB NOT NULL DEFAULT '{}',
    "retry_of" INTEGER,
    "measurement" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "spec" JSONB NOT NULL,
    "fence" BIGINT NOT NULL,
    "outcome" "Outcome",
    "reason" TEXT,
    "detail" TEXT,
    "result" JSONB,
    "commands" JSONB NOT NULL DEFAULT '[]',
    "notes" JSONB NOT NULL DEFAULT '[]',
    "clock_offsets" JSONB,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric" (
    "id" BIGSERIAL NOT NULL,
    "step_id" UUID NOT NULL,
    "attempt_id" UUID,
    "seq" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" DOUBLE PRECISION,
    "unit" TEXT NOT NULL,
    "labels" JSONB,
    "reason" TEXT,
    "spread" JSONB,

    CONSTRAINT "metric_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "snapshot" (
    "id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "end" "End" NOT NULL,
    "moment" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshot_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sample" (
    "id" BIGSERIAL NOT NULL,
    "attempt_id" UUID NOT NULL,
    "end" "End" NOT NULL,
    "elapsed_ms" INTEGER NOT NULL,
    "document" JSONB NOT NULL,

    CONSTRAINT "sample_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "artifact" (
    "attempt_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "end" "End" NOT NULL,
    "tool" TEXT NOT NULL,
    "stream" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("attempt_id","name")
);

-- CreateTable
CREATE TABLE "blob" (
    "sha256" TEXT NOT NULL,
    "encoding" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blob_pkey" PRIMARY KEY ("sha256")
);

-- CreateTable
CREATE TABLE "run_event" (
    "run_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "replay" BOOLEAN NOT NULL DEFAULT true,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_event_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "standing_grant" (
    "probe" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "peer_address" TEXT NOT NULL,
    "spec_kind" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "not_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "standing_grant_pkey" PRIMARY KEY ("probe","endpoint","peer_address","spec_kind")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "key" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "status" INTEGER,
    "body" JSONB,
    "headers" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("scope","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "access_token_hash_key" ON "access_token"("hash");

-- CreateIndex
CREATE INDEX "path_source_probe_idx" ON "path"("source_probe");

-- CreateIndex
CREATE INDEX "path_dest_probe_idx" ON "path"("dest_probe");

-- CreateIndex
CREATE INDEX "run_state_created_at_idx" ON "run"("state", "created_at");

-- CreateIndex
CREATE INDEX "run_created_at_id_idx" ON "run"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "leg_state_priority_created_at_idx" ON "leg"("state", "priority" DESC, "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "leg_run_id_index_key" ON "leg"("run_id", "index");

-- CreateIndex
CREATE INDEX "claim_leg_id_idx" ON "claim"("leg_id");

-- CreateIndex
CREATE INDEX "claim_expires_at_idx" ON "claim"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "step_leg_id_index_key" ON "step"("leg_id", "index");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_step_id_n_key" ON "attempt"("step_id", "n");

-- CreateIndex
CREATE INDEX "metric_step_id_attempt_id_seq_idx" ON "metric"("step_id", "attempt_id", "seq");

-- CreateIndex
CREATE INDEX "metric_attempt_id_idx" ON "metric"("attempt_id");

-- CreateIndex
CREATE INDEX "metric_name_step_id_idx" ON "metric"("name", "step_id");

-- CreateIndex
CREATE UNIQUE INDEX "snapshot_attempt_id_end_moment_key" ON "snapshot"("attempt_id", "end", "moment");

-- CreateIndex
CREATE INDEX "sample_attempt_id_end_elapsed_ms_idx" ON "sample"("attempt_id", "end", "elapsed_ms");

-- CreateIndex
CREATE INDEX "artifact_sha256_idx" ON "artifact"("sha256");

-- AddForeignKey
ALTER TABLE "probe" ADD CONSTRAINT "probe_site_fkey" FOREIGN KEY ("site") REFERENCES "site"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plan_version" ADD CONSTRAINT "plan_version_plan_fkey" FOREIGN KEY ("plan") REFERENCES "plan"("name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leg" ADD CONSTRAINT "leg_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "claim" ADD CONSTRAINT "claim_leg_id_fkey" FOREIGN KEY ("leg_id") REFERENCES "leg"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step" ADD CONSTRAINT "step_leg_id_fkey" FOREIGN KEY ("leg_id") REFERENCES "leg"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "step"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric" ADD CONSTRAINT "metric_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "step"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric" ADD CONSTRAINT "metric_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshot" ADD CONSTRAINT "snapshot_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sample" ADD CONSTRAINT "sample_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_sha256_fkey" FOREIGN KEY ("sha256") REFERENCES "blob"("sha256") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_event" ADD CONSTRAINT "run_event_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;



-- What Prisma's schema language cannot say.

-- Fences order all legs: one sequence, taken with the claim.
CREATE SEQUENCE "fence_seq";

-- Two claims on one slot of one resource are impossible, not merely unlikely. A resource's slots are a span of 65536
-- that starts at 65536 times its hash: a range type alone, so no extension is needed. A hash collision can only make
-- two legs wait for each other.
ALTER TABLE "claim" ADD CONSTRAINT "claim_no_overlap" EXCLUDE USING gist ("span" WITH &&);

-- Only a null metric has a reason, and every null metric has one.
ALTER TABLE "metric" ADD CONSTRAINT "metric_reason_iff_null" CHECK (("value" IS NULL) = ("reason" IS NOT NULL));
ALTER TABLE "metric" ADD CONSTRAINT "metric_finite" CHECK ("value" IS NULL OR ("value" > '-Infinity' AND "value" < 'Infinity'));

-- A leg that ended holds no owner; one that runs has been claimed.
ALTER TABLE "leg" ADD CONSTRAINT "leg_running_is_claimed" CHECK ("state" <> 'running' OR "fence" IS NOT NULL);
