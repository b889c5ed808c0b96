-- CreateTable
CREATE TABLE "probe_certificate" (
    "fingerprint" TEXT NOT NULL,
    "probe" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "not_after" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "probe_certificate_pkey" PRIMARY KEY ("fingerprint")
);

-- CreateIndex
CREATE INDEX "probe_certificate_probe_not_after_idx" ON "probe_certificate"("probe", "not_after");
