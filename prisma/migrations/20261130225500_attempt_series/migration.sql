-- Which attempts are one series: of one path between the same addresses, with the same tool and parameters, the same way round.
-- AlterTable
ALTER TABLE "attempt" ADD COLUMN "series" TEXT;

-- CreateIndex
CREATE INDEX "attempt_series_outcome_ended_at_idx" ON "attempt"("series", "outcome", "ended_at");
