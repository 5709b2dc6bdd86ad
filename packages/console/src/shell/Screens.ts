import { exec } from "preact-iso/router"
import type { Privilege } from "../calls/Me.ts"
import { type LazyScreen, lazyScreen } from "./LazyScreen.tsx"

const Answer = lazyScreen(async () => (await import("../answers/Answer.tsx")).Answer)
const Answers = lazyScreen(async () => (await import("../answers/Answers.tsx")).Answers)
const AccessTokens = lazyScreen(async () => (await import("../access/AccessTokens.tsx")).AccessTokens)
const ApiClients = lazyScreen(async () => (await import("../access/ApiClients.tsx")).ApiClients)
const AuditLog = lazyScreen(async () => (await import("../access/AuditLog.tsx")).AuditLog)
const IdentityProvider = lazyScreen(async () => (await import("../access/IdentityProvider.tsx")).IdentityProvider)
const NewProvider = lazyScreen(async () => (await import("../access/NewProvider.tsx")).NewProvider)
const Roles = lazyScreen(async () => (await import("../access/Roles.tsx")).Roles)
const Sessions = lazyScreen(async () => (await import("../access/Sessions.tsx")).Sessions)
const SingleSignOn = lazyScreen(async () => (await import("../access/SingleSignOn.tsx")).SingleSignOn)
const Users = lazyScreen(async () => (await import("../access/Users.tsx")).Users)
const BulkMove = lazyScreen(async () => (await import("../credentials/BulkMove.tsx")).BulkMove)
const Credential = lazyScreen(async () => (await import("../credentials/Credential.tsx")).Credential)
const Credentials = lazyScreen(async () => (await import("../credentials/Credentials.tsx")).Credentials)
const Tasks = lazyScreen(async () => (await import("../credentials/Tasks.tsx")).Tasks)
const NewCredential = lazyScreen(async () => (await import("../credentials/NewCredential.tsx")).NewCredential)
const Import = lazyScreen(async () => (await import("../imports/Import.tsx")).Import)
const Imports = lazyScreen(async () => (await import("../imports/Imports.tsx")).Imports)
const AskMany = lazyScreen(async () => (await import("../lists/AskMany.tsx")).AskMany)
const Bans = lazyScreen(async () => (await import("../lists/Bans.tsx")).Bans)
const ComplianceChecks = lazyScreen(async () => (await import("../lists/ComplianceChecks.tsx")).ComplianceChecks)
const Exemptions = lazyScreen(async () => (await import("../lists/Exemptions.tsx")).Exemptions)
const FetchRequests = lazyScreen(async () => (await import("../lists/FetchRequests.tsx")).FetchRequests)
const Mentions = lazyScreen(async () => (await import("../access/Mentions.tsx")).Mentions)
const RecruitmentChecks = lazyScreen(async () => (await import("../lists/RecruitmentChecks.tsx")).RecruitmentChecks)
const RemindMany = lazyScreen(async () => (await import("../lists/RemindMany.tsx")).RemindMany)
const Scans = lazyScreen(async () => (await import("../lists/Scans.tsx")).Scans)
const ScreeningPackages = lazyScreen(async () => (await import("../lists/ScreeningPackages.tsx")).ScreeningPackages)
const Messages = lazyScreen(async () => (await import("../messages/Messages.tsx")).Messages)
const MessageSettings = lazyScreen(async () => (await import("../messages/MessageSettings.tsx")).MessageSettings)
const Compare = lazyScreen(async () => (await import("../merging/Compare.tsx")).Compare)
const Duplicates = lazyScreen(async () => (await import("../merging/Duplicates.tsx")).Duplicates)
const Merges = lazyScreen(async () => (await import("../merging/Merges.tsx")).Merges)
const Applicant = lazyScreen(async () => (await import("../people/Applicant.tsx")).Applicant)
const Applicants = lazyScreen(async () => (await import("../people/Applicants.tsx")).Applicants)
const Erasures = lazyScreen(async () => (await import("../people/Erasures.tsx")).Erasures)
const Expiring = lazyScreen(async () => (await import("../people/Expiring.tsx")).Expiring)
const Matrix = lazyScreen(async () => (await import("../people/Matrix.tsx")).Matrix)
const NewApplicant = lazyScreen(async () => (await import("../people/NewApplicant.tsx")).NewApplicant)
const NewWorker = lazyScreen(async () => (await import("../people/NewWorker.tsx")).NewWorker)
const Overview = lazyScreen(async () => (await import("../people/Overview.tsx")).Overview)
const Units = lazyScreen(async () => (await import("../people/Units.tsx")).Units)
const Worker = lazyScreen(async () => (await import("../people/Worker.tsx")).Worker)
const WorkerAsOf = lazyScreen(async () => (await import("../people/WorkerAsOf.tsx")).WorkerAsOf)
const Workers = lazyScreen(async () => (await import("../people/Workers.tsx")).Workers)
const VerificationReport = lazyScreen(async () => (await import("../people/VerificationReport.tsx")).VerificationReport)
const NewSource = lazyScreen(async () => (await import("../sources/NewSource.tsx")).NewSource)
const Source = lazyScreen(async () => (await import("../sources/Source.tsx")).Source)
const Sources = lazyScreen(async () => (await import("../sources/Sources.tsx")).Sources)
const AllDeliveries = lazyScreen(async () => (await import("../webhooks/AllDeliveries.tsx")).AllDeliveries)
const GivenUp = lazyScreen(async () => (await import("../webhooks/GivenUp.tsx")).GivenUp)
const Operation = lazyScreen(async () => (await import("../webhooks/Operation.tsx")).Operation)
const NewWebhook = lazyScreen(async () => (await import("../webhooks/NewWebhook.tsx")).NewWebhook)
const Webhook = lazyScreen(async () => (await import("../webhooks/Webhook.tsx")).Webhook)
const Webhooks = lazyScreen(async () => (await import("../webhooks/Webhooks.tsx")).Webhooks)

/** A screen: its address, its place in the menu, and the privileges that it needs. */
export interface ScreenRow {
  /** Below `/console`; `:id` is passed to the component. */
  readonly path: `/${string}`
  readonly component: LazyScreen
  /** The section of the menu. */
  readonly section: string
  /** The words of the menu. Screens without them are reached from others. */
  readonly menu?: string
  readonly needs?: Privilege | ReadonlyArray<Privilege>
}

/** What the deliveries of all webhooks need: READ of every entity type that events are about. */
const everyEvent: ReadonlyArray<Privilege> = [
  ...(["webhook:READ", "credential:READ", "worker:READ", "credentialCheck:READ", "captureRequest:READ"] as const),
  ...(["complianceCheck:READ", "exemption:READ", "ban:READ"] as const)
]

/** All screens by the sections of the menu, in its order. */
const sections: Readonly<Record<string, ReadonlyArray<Omit<ScreenRow, "section">>>> = {
  People: [
    { path: "/", component: Overview, menu: "Overview" },
    { path: "/workers", component: Workers, menu: "Workers", needs: "worker:READ" },
    { path: "/workers/new", component: NewWorker, needs: "worker:CREATE" },
    { path: "/workers/:id", component: Worker, needs: "worker:READ" },
    { path: "/workers/:id/as-of", component: WorkerAsOf, needs: "worker:READ" },
    { path: "/workers/:id/merge", component: Compare, needs: "worker:READ" },
    { path: "/duplicates", component: Duplicates, menu: "Duplicates", needs: "worker:READ" },
    { path: "/merges", component: Merges, needs: "worker:READ" },
    { path: "/imports", component: Imports, menu: "Imports", needs: ["import:READ", "worker:READ"] },
    { path: "/imports/:id", component: Import, needs: ["import:READ", "worker:READ"] },
    { path: "/applicants", component: Applicants, menu: "Applicants", needs: "applicant:READ" },
    { path: "/applicants/new", component: NewApplicant, needs: "applicant:CREATE" },
    { path: "/applicants/:id", component: Applicant, needs: "applicant:READ" },
    { path: "/units", component: Units, menu: "Units", needs: "unit:READ" },
    { path: "/matrix", component: Matrix, menu: "Compliance matrix", needs: "complianceCheck:READ" }
  ],
  Credentials: [
    { path: "/tasks", component: Tasks, menu: "Tasks", needs: "task:READ" },
    { path: "/answers", component: Answers, menu: "Answers", needs: "answer:READ" },
    { path: "/answers/:id", component: Answer, needs: "answer:READ" },
    { path: "/credentials", component: Credentials, menu: "Credentials", needs: "credential:READ" },
    { path: "/credentials/new", component: NewCredential, needs: "credential:CREATE" },
    { path: "/credentials/:id", component: Credential, needs: "credential:READ" },
    { path: "/bulk-move", component: BulkMove, menu: "Move credentials", needs: "credential:UPDATE" },
    { path: "/expiring", component: Expiring, menu: "Expiring and review", needs: "credential:READ" },
    {
      path: "/reports/verifications",
      component: VerificationReport,
      menu: "Verification report",
      needs: ["worker:READ", "credential:READ"]
    },
    {
      path: "/verification-sources",
      component: Sources,
      menu: "Verification sources",
      needs: "verificationSource:READ"
    },
    { path: "/verification-sources/new", component: NewSource, needs: "verificationSource:CREATE" },
    { path: "/verification-sources/:id", component: Source, needs: "verificationSource:READ" },
    { path: "/scans", component: Scans, menu: "Scans", needs: "credential:READ" }
  ],
  Screening: [
    {
      path: "/recruitment-checks",
      component: RecruitmentChecks,
      menu: "Recruitment checks",
      needs: "credentialCheck:READ"
    },
    { path: "/fetch-requests", component: FetchRequests, menu: "Fetch requests", needs: "captureRequest:READ" },
    { path: "/fetch-requests/many", component: AskMany, needs: "captureRequest:CREATE" },
    {
      path: "/fetch-requests/reminders",
      component: RemindMany,
      needs: ["captureRequest:READ", "captureRequest:UPDATE"]
    },
    { path: "/exemptions", component: Exemptions, menu: "Exemptions", needs: "exemption:READ" },
    { path: "/bans", component: Bans, menu: "Bans", needs: "ban:READ" },
    {
      path: "/compliance-checks",
      component: ComplianceChecks,
      menu: "Compliance checks",
      needs: "complianceCheck:READ"
    },
    {
      path: "/screening-packages",
      component: ScreeningPackages,
      menu: "Screening packages",
      needs: "screeningPackage:READ"
    }
  ],
  Webhooks: [
    { path: "/webhooks", component: Webhooks, menu: "Webhooks", needs: "webhook:READ" },
    { path: "/deliveries", component: AllDeliveries, menu: "Deliveries", needs: everyEvent },
    { path: "/given-up", component: GivenUp, menu: "Given up", needs: everyEvent },
    { path: "/operation", component: Operation, menu: "Operation", needs: "webhook:READ" },
    { path: "/webhooks/new", component: NewWebhook, needs: "webhook:CREATE" },
    { path: "/webhooks/:id", component: Webhook, needs: "webhook:READ" }
  ],
  Access: [
    { path: "/tokens", component: AccessTokens, menu: "Access tokens" },
    { path: "/clients", component: ApiClients, menu: "API credentials", needs: "apiClient:READ" },
    { path: "/users", component: Users, menu: "Users", needs: "user:READ" },
    { path: "/roles", component: Roles, needs: "user:READ" },
    { path: "/single-sign-on", component: SingleSignOn, menu: "Single sign-on", needs: "identityProvider:READ" },
    { path: "/single-sign-on/new", component: NewProvider, needs: "identityProvider:CREATE" },
    { path: "/single-sign-on/:id", component: IdentityProvider, needs: "identityProvider:READ" },
    { path: "/messages", component: Messages, menu: "Messages", needs: "message:READ" },
    { path: "/messages/settings", component: MessageSettings, needs: "message:READ" },
    { path: "/audit", component: AuditLog, menu: "Audit log", needs: "auditEvent:READ" },
    { path: "/erasures", component: Erasures, menu: "Erasures", needs: "erasure:READ" },
    { path: "/mentions", component: Mentions, menu: "My mentions" },
    { path: "/security", component: Sessions, menu: "My security" }
  ]
}

/** All screens, in the order of the menu. */
export const screens: ReadonlyArray<ScreenRow> = Object.entries(sections).flatMap(([section, rows]) =>
  rows.map((row) => ({ ...row, section }))
)

/** The root of all screens. */
export const consoleRoot = "/console"

/** The address of a screen, or its form if it has parameters. */
export const addressOf = ({ path }: Pick<ScreenRow, "path">): string =>
  path === "/" ? consoleRoot : consoleRoot + path

/** The screen at an address. */
export const screenAt = (address: string): ScreenRow | undefined =>
  screens.find((screen) => exec(address, addressOf(screen)))
