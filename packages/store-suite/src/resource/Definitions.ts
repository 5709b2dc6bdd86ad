import { Ban } from "@wcs/domain/credential/Bans"
import { Credential } from "@wcs/domain/credential/Credential"
import { Exemption } from "@wcs/domain/credential/Exemption"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import type { Resource } from "@wcs/domain/resource/Resource"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { IdentityProvider } from "@wcs/domain/single-sign-on/IdentityProvider"
import { Webhook } from "@wcs/domain/webhook/Webhook"

/** Every resource that a store must support. */
export const definitions: ReadonlyArray<Resource> = [
  Worker,
  Applicant,
  Credential,
  Exemption,
  ScreeningPackage,
  ComplianceCheck,
  Ban,
  Webhook,
  RecruitmentCheck,
  FetchRequest,
  IdentityProvider
]
