import { Applicant } from "@wcs/domain/Applicant"
import { Ban } from "@wcs/domain/Bans"
import { ComplianceCheck } from "@wcs/domain/ComplianceChecks"
import { Credential } from "@wcs/domain/Credential"
import { Exemption } from "@wcs/domain/Exemption"
import { FetchRequest } from "@wcs/domain/FetchRequests"
import { IdentityProvider } from "@wcs/domain/IdentityProvider"
import { RecruitmentCheck } from "@wcs/domain/RecruitmentChecks"
import type { Resource } from "@wcs/domain/Resource"
import { ScreeningPackage } from "@wcs/domain/ScreeningPackages"
import { Webhook } from "@wcs/domain/Webhook"
import { Worker } from "@wcs/domain/Worker"

/** Every resource that a store has to keep. */
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
