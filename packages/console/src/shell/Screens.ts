import type { ComponentType } from "preact"
import { AccessTokens } from "../access/AccessTokens.tsx"
import { ApiClients } from "../access/ApiClients.tsx"
import { AuditLog } from "../access/AuditLog.tsx"
import { IdentityProvider } from "../access/IdentityProvider.tsx"
import { NewProvider } from "../access/NewProvider.tsx"
import { Sessions } from "../access/Sessions.tsx"
import { SingleSignOn } from "../access/SingleSignOn.tsx"
import { Users } from "../access/Users.tsx"
import type { Privilege } from "../calls/Me.ts"
import { BulkMove } from "../credentials/BulkMove.tsx"
import { Credential } from "../credentials/Credential.tsx"
import { Credentials } from "../credentials/Credentials.tsx"
import { NewCredential } from "../credentials/NewCredential.tsx"
import { Applicant } from "../people/Applicant.tsx"
import { Applicants } from "../people/Applicants.tsx"
import { Expiring } from "../people/Expiring.tsx"
import { Matrix } from "../people/Matrix.tsx"
import { NewApplicant } from "../people/NewApplicant.tsx"
import { NewWorker } from "../people/NewWorker.tsx"
import { Overview } from "../people/Overview.tsx"
import { Worker } from "../people/Worker.tsx"
import { Workers } from "../people/Workers.tsx"
import { NewWebhook } from "../webhooks/NewWebhook.tsx"
import { Webhook } from "../webhooks/Webhook.tsx"
import { Webhooks } from "../webhooks/Webhooks.tsx"

/** A screen: its address, its place in the menu, and the privilege that it needs. */
export interface ScreenRow {
  /** Below `/console`; `:id` is passed to the component. */
  readonly path: `/${string}`
  readonly component: ComponentType<{ readonly id: string }>
  /** The menu's section and words. Screens without them are reached from others. */
  readonly menu?: readonly [section: "People" | "Credentials" | "Webhooks" | "Access", words: string]
  readonly needs?: Privilege
}

/** All screens, in the order of the menu. */
export const screens: ReadonlyArray<ScreenRow> = [
  { path: "/", component: Overview, menu: ["People", "Overview"] },
  { path: "/workers", component: Workers, menu: ["People", "Workers"], needs: "worker:READ" },
  { path: "/workers/new", component: NewWorker, needs: "worker:CREATE" },
  { path: "/workers/:id", component: Worker, needs: "worker:READ" },
  { path: "/applicants", component: Applicants, menu: ["People", "Applicants"], needs: "applicant:READ" },
  { path: "/applicants/new", component: NewApplicant, needs: "applicant:CREATE" },
  { path: "/applicants/:id", component: Applicant, needs: "applicant:READ" },
  { path: "/matrix", component: Matrix, menu: ["People", "Compliance matrix"], needs: "complianceCheck:READ" },
  { path: "/credentials", component: Credentials, menu: ["Credentials", "Credentials"], needs: "credential:READ" },
  { path: "/credentials/new", component: NewCredential, needs: "credential:CREATE" },
  { path: "/credentials/:id", component: Credential, needs: "credential:READ" },
  { path: "/bulk-move", component: BulkMove, menu: ["Credentials", "Move credentials"], needs: "credential:UPDATE" },
  { path: "/expiring", component: Expiring, menu: ["Credentials", "Expiring and review"], needs: "credential:READ" },
  { path: "/webhooks", component: Webhooks, menu: ["Webhooks", "Webhooks"], needs: "webhook:READ" },
  { path: "/webhooks/new", component: NewWebhook, needs: "webhook:CREATE" },
  { path: "/webhooks/:id", component: Webhook, needs: "webhook:READ" },
  { path: "/tokens", component: AccessTokens, menu: ["Access", "Access tokens"] },
  { path: "/clients", component: ApiClients, menu: ["Access", "API credentials"], needs: "apiClient:READ" },
  { path: "/users", component: Users, menu: ["Access", "Users"], needs: "user:READ" },
  {
    path: "/single-sign-on",
    component: SingleSignOn,
    menu: ["Access", "Single sign-on"],
    needs: "identityProvider:READ"
  },
  { path: "/single-sign-on/new", component: NewProvider, needs: "identityProvider:CREATE" },
  { path: "/single-sign-on/:id", component: IdentityProvider, needs: "identityProvider:READ" },
  { path: "/audit", component: AuditLog, menu: ["Access", "Audit log"], needs: "auditEvent:READ" },
  { path: "/security", component: Sessions, menu: ["Access", "My security"] }
]

/** The root of all screens. */
export const consoleRoot = "/console"
