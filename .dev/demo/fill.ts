/** Fills a service with a made-up organization, through the public API. */
import { Agent, request } from "node:https"
import type { Visitor } from "@wcs/end-to-end/Visitor"
import { applicantOf, credentialOf, firstAidOf, workerOf } from "./people.ts"
import type { Receiver } from "./receiver.ts"

/** Calls in flight at a time. */
const concurrency = 16

export interface Target {
  readonly origin: string
  readonly ca: string
  readonly token: string
  /** The Super Admin. Only a logged-in person can change users. */
  readonly person: Visitor
  readonly receiver: Receiver
}

type Made = { readonly id: string } & Readonly<Record<string, string>>

/** Calls the API with the token, and returns `data`. Fails unless the status is 2xx. */
const caller = ({ ca, origin, token }: Target) => {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: concurrency })
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  return (method: string, path: string, body: object = {}) =>
    new Promise<Made>((resolve, reject) => {
      const sent = request(new URL(`/openapi/v1${path}`, origin), { method, headers, agent }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        answer.on("end", () => {
          if ((answer.statusCode ?? 500) < 300) resolve(text === "" ? {} : JSON.parse(text).data)
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`))
        })
      })
      sent.on("error", reject)
      sent.end(method === "DELETE" ? "" : JSON.stringify(body))
    })
}

/** Runs `work` for each number, a few at a time. */
const each = async (count: number, work: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: concurrency }, run))
}

type Call = ReturnType<typeof caller>

const checks = [
  {
    code: "child-safety",
    displayName: "Working with children",
    severity: "CRITICAL",
    requirement: { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: true }
  },
  {
    code: "any-state",
    displayName: "Any check of a state",
    severity: "WARNING",
    requirement: { credentialTypes: ["WWCC_NSW", "WWCC_VIC"], mode: "ANY", exemptionsCount: false }
  }
]

const fillWebhooks = async (call: Call, { urlOf }: Receiver) => {
  const events = ["credential.created", "credential.verified", "credential.updated"]
  const webhook = (name: string, url: string) => call("POST", "/webhooks", { name, url, events })
  await webhook("Payroll", urlOf("healthy"))
  await webhook("Rostering (broken)", urlOf("broken"))
  const { id: recovering } = await webhook("Learning platform", urlOf("recovering"))
  const { id: disabled } = await webhook("Old intranet", urlOf("healthy"))
  await call("POST", `/webhooks/${disabled}/disable`)
  return recovering
}

const fillPeople = async (call: Call, workers: number) => {
  const ids: Array<string> = []
  const now = new Date()
  await each(workers, async (index) => {
    const { id } = await call("POST", "/workers", workerOf(index))
    ids.push(id)
    if (index % 10 < 8) await call("POST", "/credentials", credentialOf({ worker: id }, index))
    if (index % 4 === 0) await call("POST", "/credentials", firstAidOf(id, index, now))
    if (index % 40 === 9) {
      const exemption = { exemptionType: "Parent volunteer", worker: { id }, exemptedCredentialTypes: ["WWCC_NSW"] }
      await call("POST", "/exemptions", { ...exemption, reason: "Helps at the class of an own child" })
    }
  })
  const applicants = Math.ceil(workers / 10)
  await each(applicants, async (index) => {
    const { id } = await call("POST", "/applicants", applicantOf(index))
    const credential = await call("POST", "/credentials", credentialOf({ applicant: id }, workers + index))
    const worker = ids[index]
    // Some applicants are hired: their credential is transferred to a worker.
    if (index % 4 !== 0 || worker === undefined) return
    const change = { from: { type: "applicant", id }, to: { type: "worker", id: worker } }
    await call("POST", `/credentials/${credential.id}/transfer`, change)
    await call("PATCH", `/applicants/${id}`, { status: "HIRED" })
  })
}

const fillAccess = async (call: Call, { call: asPerson }: Visitor) => {
  await asPerson("POST", "/access-tokens", { name: "laptop", expiresInSeconds: 90 * 24 * 3600 })
  await asPerson("POST", "/access-tokens", { name: "reporting", expiresInSeconds: 10 * 24 * 3600 })
  await asPerson("POST", "/api-clients", { name: "payroll" })
  const old = Object(await asPerson("POST", "/api-clients", { name: "old intranet" }))
  await call("DELETE", `/api-clients/${old.data.id}`)
  for (const [name, role] of [
    ["officer", "Data Manager"],
    ["operator", "Admin"],
    ["auditor", "Viewer"]
  ] as const) {
    await asPerson("POST", "/users", { email: `${name}@demo.example`, role })
  }
}

/** Fills the service. Afterwards one webhook is healthy, one fails, and one has recovered. */
export const fill = async (target: Target, workers: number): Promise<void> => {
  const call = caller(target)
  for (const check of checks) await call("POST", "/compliance-checks", check)
  const recovering = await fillWebhooks(call, target.receiver)
  await fillAccess(call, target.person) // while the login is fresh
  await fillPeople(call, workers)
  target.receiver.recover()
  await call("POST", `/webhooks/${recovering}/redrive`)
}
