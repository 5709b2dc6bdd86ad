import { Layer } from "effect"
import * as AnswerDocuments from "../answer/AnswerDocuments.ts"
import * as AnswerForm from "../answer/AnswerForm.ts"
import * as AnswerPage from "../answer/AnswerPage.ts"
import * as Answers from "../answer/Answers.ts"
import * as Authentication from "../authentication/Authentication.ts"
import * as ExternalBearers from "../authentication/ExternalBearers.ts"
import * as Bans from "../credential/Bans.ts"
import * as Credentials from "../credential/Credentials.ts"
import * as Exemptions from "../credential/Exemptions.ts"
import * as OwnershipChanges from "../credential/OwnershipChanges.ts"
import * as Units from "../credential/Units.ts"
import * as VerificationReport from "../credential/VerificationReport.ts"
import * as Workers from "../credential/Workers.ts"
import * as Resources from "../crud/Resources.ts"
import * as DocumentFiles from "../document/DocumentFiles.ts"
import * as Documents from "../document/Documents.ts"
import * as Erasures from "../erasure/Erasures.ts"
import * as Imports from "../import/Imports.ts"
import * as Constituents from "../legacy/Constituents.ts"
import * as LegacyAuthentication from "../legacy/LegacyAuthentication.ts"
import * as Scans from "../legacy/Scans.ts"
import * as Login from "../login/Login.ts"
import * as OwnAccount from "../login/OwnAccount.ts"
import * as PasswordCheck from "../login/PasswordCheck.ts"
import * as DuplicatePairs from "../merge/DuplicatePairs.ts"
import * as Merges from "../merge/Merges.ts"
import * as Outbox from "../message/Outbox.ts"
import * as Notes from "../note/Notes.ts"
import * as Proofs from "../proof/Proofs.ts"
import * as Monitoring from "../schedule/Monitoring.ts"
import * as ComplianceEvaluation from "../screening/ComplianceEvaluation.ts"
import * as ComplianceMatrix from "../screening/ComplianceMatrix.ts"
import * as FetchRequests from "../screening/FetchRequests.ts"
import * as RecruitmentChecks from "../screening/RecruitmentChecks.ts"
import * as Tasks from "../screening/Tasks.ts"
import * as FactorRequirements from "../second-factor/FactorRequirements.ts"
import * as FactorResets from "../second-factor/FactorResets.ts"
import * as SecondFactors from "../second-factor/SecondFactors.ts"
import * as Sessions from "../session/Sessions.ts"
import * as IdentityProviders from "../single-sign-on/IdentityProviders.ts"
import * as SingleSignOn from "../single-sign-on/SingleSignOn.ts"
import * as Administration from "../token/Administration.ts"
import * as OAuthClients from "../token/OAuthClients.ts"
import * as PersonalTokens from "../token/PersonalTokens.ts"
import * as Tenancy from "../token/Tenancy.ts"
import * as TokenExchange from "../token/TokenExchange.ts"
import * as Invites from "../user/Invites.ts"
import * as Users from "../user/Users.ts"
import * as WhoAmI from "../user/WhoAmI.ts"
import * as Decisions from "../verification/Decisions.ts"
import * as Notices from "../verification/Notices.ts"
import * as VerificationSources from "../verification/VerificationSources.ts"
import * as Verifications from "../verification/Verifications.ts"
import * as Deliveries from "../webhook/Deliveries.ts"
import * as Webhooks from "../webhook/Webhooks.ts"
import * as AuditEvents from "./AuditEvents.ts"
import * as Changes from "./Changes.ts"
import * as Operation from "./Operation.ts"

/**
 * The layer of all use cases. Needs stores, keys and rules. `Resources` serves the groups without rules of their own.
 */
export const layer = Layer.mergeAll(
  Workers.layer,
  Credentials.layer,
  Exemptions.layer,
  ComplianceEvaluation.layer,
  ComplianceMatrix.layer,
  VerificationReport.layer,
  Proofs.layer,
  Bans.layer,
  Units.layer,
  Imports.layer,
  Webhooks.layer,
  Deliveries.layer,
  VerificationSources.layer,
  Monitoring.layer,
  AuditEvents.layer,
  Changes.layer,
  OwnershipChanges.layer,
  RecruitmentChecks.layer,
  FetchRequests.layer,
  TokenExchange.layer,
  Layer.provide(Authentication.layer, ExternalBearers.layer),
  Layer.provideMerge(Layer.mergeAll(PersonalTokens.layer, OAuthClients.layer), Administration.layer),
  Tenancy.layer,
  Layer.mergeAll(Invites.layer, WhoAmI.layer, FactorRequirements.layer),
  Layer.mergeAll(Login.layer, OwnAccount.layer, IdentityProviders.layer, FactorResets.layer).pipe(
    Layer.provideMerge(SingleSignOn.layer),
    Layer.provideMerge(Layer.mergeAll(Sessions.layer, SecondFactors.layer, LegacyAuthentication.layer, Users.layer)),
    Layer.provide(PasswordCheck.layer)
  ),
  Constituents.layer,
  Layer.mergeAll(Erasures.layer, Merges.layer, DuplicatePairs.layer),
  Layer.mergeAll(Notices.layer, Decisions.layer, Tasks.layer, Outbox.layer),
  Layer.provideMerge(Scans.layer, Verifications.layer),
  Layer.merge(Layer.provideMerge(Documents.layer, DocumentFiles.layer), Notes.layer)
).pipe(
  (all) =>
    Layer.provideMerge(Layer.mergeAll(Answers.layer, AnswerDocuments.layer, AnswerForm.layer, AnswerPage.layer), all),
  (all) => Layer.provideMerge(Operation.layer, all),
  Layer.provideMerge(Resources.layer)
)
