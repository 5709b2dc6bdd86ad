import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const packages = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(packages + path, "utf8")

const domain = "domain/test"
const useCases = "deployment/test/use-cases"
const rules = "deployment/test/rules"

/** Each use case, with the file of its tests below `packages` and words of one of their titles. */
const table: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "authentication/Authentication": [`${useCases}/Authentication.test.ts`, "carries its owner's limit"],
  "authentication/ExternalBearers": ["deployment/test/login/SingleSignOnOidc.test.ts", "a token of the provider acts"],
  "credential/Bans": [`${rules}/resource/Reads.test.ts`, "show a register's ban under its URN"],
  "credential/Credentials": [`${domain}/credential/Credentials.test.ts`, "starts a verification"],
  "credential/Exemptions": [`${rules}/resource/Writes.test.ts`, "name a person by id or external id"],
  "credential/OwnershipChanges": [`${rules}/ownership/OwnershipChanges.test.ts`, "has each change with its actor"],
  "credential/Units": [`${rules}/access/Units.test.ts`, "is deleted"],
  "credential/VerificationReport": [`${domain}/credential/VerificationReport.test.ts`, "R16"],
  "credential/Workers": [`${domain}/credential/Including.test.ts`, "PRV-08"],
  "crud/Resources": [`${domain}/crud/Resources.test.ts`, "refuses a code that is in use or was used before"],
  "document/DocumentFiles": ["store-suite/src/document/DocumentSuite.ts", "returns a file as it was received"],
  "document/Documents": [`${rules}/resource/Documents.test.ts`, "is uploaded, listed, downloaded and deleted"],
  "erasure/Erasures": [`${domain}/erasure/Erasing.test.ts`, "is begun once"],
  "import/Imports": ["store-suite/src/import/ImportCheckSuite.ts", "a check tells what each row would do"],
  "legacy/Constituents": [`${domain}/legacy/Constituents.test.ts`, "a worker on the legacy surface"],
  "legacy/LegacyAuthentication": [`${useCases}/LegacyAuthentication.test.ts`, "issues only for the caller's own"],
  "legacy/Scans": [`${domain}/legacy/Scans.test.ts`, "stores the scan once"],
  "login/Login": [`${useCases}/Login.test.ts`, "does not accept a half login as a session"],
  "login/OwnAccount": ["http/test/LoginRoutes.test.ts", "ends all other sessions"],
  "login/PasswordCheck": [`${useCases}/LegacyAuthentication.test.ts`, "limits on failures"],
  "screening/ComplianceEvaluation": [`${domain}/screening/ComplianceEvaluation.test.ts`, "ALL needs every type"],
  "screening/ComplianceMatrix": ["store-suite/src/compliance/KeptComplianceSuite.ts", "returns after random histories"],
  "screening/FetchRequests": [`${domain}/screening/Progression.test.ts`, "the status of a fetch request"],
  "screening/RecruitmentChecks": [`${domain}/screening/RecruitmentChecks.test.ts`, "refuses an inactive package"],
  "screening/Tasks": [`${rules}/verification/Tasks.test.ts`, "one queue"],
  "merge/DuplicatePairs": ["store-suite/src/merge/DuplicateSuite.ts", "lists each pair once"],
  "merge/Merges": ["store-suite/src/merge/MergeSuite.ts", "moves everything"],
  "second-factor/FactorRequirements": [`${rules}/access/Users.test.ts`, "needs an app of everybody"],
  "second-factor/FactorResets": [`${rules}/access/Users.test.ts`, "resets the app of another user"],
  "message/Outbox": [`${rules}/message/Messages.test.ts`, "sent again on request"],
  "answer/AnswerDocuments": [`${rules}/screening/Answers.test.ts`, "shows the files of an answer"],
  "answer/AnswerForm": [`${rules}/screening/Answers.test.ts`, "names every wrong field"],
  "answer/AnswerPage": [`${rules}/screening/Answers.test.ts`, "shows the reason to the bound device only"],
  "answer/Answers": [`${rules}/screening/Answers.test.ts`, "which an officer approves"],
  "second-factor/SecondFactors": [`${domain}/second-factor/SecondFactor.test.ts`, "accepts a recovery code once"],
  "session/Sessions": [`${domain}/session/Session.test.ts`, "ends at the idle limit"],
  "single-sign-on/IdentityProviders": [`${domain}/single-sign-on/IdentityProvider.test.ts`, "a fresh login"],
  "single-sign-on/SingleSignOn": ["deployment/test/login/SingleSignOn.test.ts", "logs an existing user in"],
  "token/Administration": [`${useCases}/TokenModel.test.ts`, "tokens and clients"],
  "token/OAuthClients": [`${domain}/token/OAuthClient.test.ts`, "OAuthClient"],
  "token/PersonalTokens": [`${domain}/token/PersonalToken.test.ts`, "PersonalToken"],
  "token/Tenancy": [`${domain}/token/Tenancy.test.ts`, "looks a host up once per epoch"],
  "token/TokenExchange": [`${useCases}/TokenExchange.test.ts`, "uses the configured lifetime"],
  "user/Invites": [`${useCases}/TenantUsers.test.ts`, "ends an invite link after 7 days"],
  "user/Users": [`${useCases}/Users.test.ts`, "changes only the given fields of a user"],
  "user/WhoAmI": [`${rules}/access/Callers.test.ts`, "/me shows every bearer"],
  "verification/Decisions": [`${rules}/verification/Decisions.test.ts`, "counts in compliance"],
  "verification/Notices": [`${rules}/verification/Notices.test.ts`, "outranks an older answer"],
  "verification/VerificationSources": [`${rules}/verification/Sources.test.ts`, "is asked with the secret"],
  "verification/Verifications": [`${domain}/verification/VerificationRun.test.ts`, "the conclusion of a run"],
  "note/Notes": [`${rules}/resource/Notes.test.ts`, "is written, listed and deleted by its author"],
  "proof/Proofs": [`${rules}/resource/Proof.test.ts`, "has the facts, verdicts and records of the time"],
  "schedule/Monitoring": [`${domain}/schedule/Monitoring.test.ts`, "what monitoring says"],
  "webhook/Deliveries": [`${domain}/webhook/Delivery.test.ts`, "the next attempt of a delivery"],
  "webhook/Webhooks": [`${domain}/webhook/Webhook.test.ts`, "the status of a webhook"],
  "service/AuditEvents": [`${rules}/access/AuditEvents.test.ts`, "every change writes an entry"],
  "service/Changes": [`${domain}/service/Changes.test.ts`, "are visible with READ of their type"],
  "service/Operation": [`${rules}/webhook/Operation.test.ts`, "shows what waits and fails"]
}

describe("the use cases", () => {
  it("all have a test", () => {
    const imports = read("domain/src/service/UseCases.ts").matchAll(/ from "\.{1,2}\/([\w/-]+)\.ts"/g)
    const modules = Array.from(imports, ([, path = ""]) => (path.includes("/") ? path : `service/${path}`))
    assert.sameMembers(Object.keys(table), modules)
  })

  for (const [useCase, [file, title]] of Object.entries(table)) {
    it(`${useCase} is tested in ${file}`, () => {
      assert.include(read(file), title)
    })
  }
})
