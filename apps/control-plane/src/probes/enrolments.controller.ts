import { Body, Controller, Headers, Param, UseGuards } from '@nestjs/common';
import { Name } from '@plumbline/model';
import { Route } from '../http/route.js';
import { Enrolment, EnrolmentRequest, IssuedCertificate, RenewalRequest } from './enrolment-schemas.js';
import { EnrolmentTokenGuard } from './enrolment-token-guard.js';
import { Enrolments } from './enrolments.js';

const tag = 'enrolment';

@Controller()
export class EnrolmentsController {
  constructor(private readonly enrolments: Enrolments) {}

  @Route('POST', '/v1/probes/:name/enrolment', {
    operationId: 'createEnrolment',
    summary: 'A one-time token with which a probe of that name gets its certificate',
    description: 'The probe need not be registered: it is enrolled first, then started, then registered.',
    tag,
    answers: [{ status: 201, description: 'The token; it is shown only now', schema: Enrolment }],
  })
  invite(@Param('name', { schema: Name }) name: string): Promise<Enrolment> {
    return this.enrolments.invite(name);
  }

  @Route('POST', '/v1/enrolments', {
    operationId: 'enrolProbe',
    summary: "Exchange the token and a certificate request for the probe's certificate",
    tag,
    answers: [{ status: 201, description: 'The certificate and the CA that signed it', schema: IssuedCertificate }],
    problems: ['enrolment-token-invalid'],
  })
  @UseGuards(EnrolmentTokenGuard)
  enrol(
    @Headers('authorization') authorization: string | undefined,
    @Body({ schema: EnrolmentRequest }) { csr }: EnrolmentRequest,
  ): Promise<IssuedCertificate> {
    return this.enrolments.enrol(authorization, csr);
  }

  @Route('POST', '/v1/enrolments/renewal', {
    operationId: 'renewCertificate',
    summary: 'A new certificate for a probe that still has a good one',
    tag,
    answers: [{ status: 201, description: 'The certificate and the CA that signed it', schema: IssuedCertificate }],
    problems: ['unauthorized'],
  })
  renew(@Body({ schema: RenewalRequest }) request: RenewalRequest): Promise<IssuedCertificate> {
    return this.enrolments.renew(request);
  }
}
