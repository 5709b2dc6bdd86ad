import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Effect } from "effect"
import { applicant, type Call, credential, exemption, worker } from "../Service.ts"

/** Every endpoint that asks for a bearer token and a privilege. */
export const routes: ReadonlyArray<Endpoint> = endpointsOf(NewerSurface).filter(({ name }) => !unguarded.includes(name))

/** What calls are about. */
export interface Subjects {
  readonly worker: string
  readonly applicant: string
  /** Held by the worker alone. */
  readonly credential: string
  /** Held by both. */
  readonly shared: string
  /** The worker's. */
  readonly exemption: string
}

/** Fresh ones. */
export const subjects = Effect.gen(function* () {
  const owners = { worker: yield* worker(), applicant: yield* applicant() }
  const alone = yield* credential({ worker: owners.worker })
  return {
    ...owners,
    credential: alone,
    shared: yield* credential(owners),
    exemption: yield* exemption({ worker: { id: owners.worker } })
  } satisfies Subjects
})

/** Well-formed ids of nothing. */
export const missing: Subjects = {
  worker: "wkr_0000000000000000",
  applicant: "app_0000000000000000",
  credential: "cred_0000000000000000",
  shared: "cred_0000000000000001",
  exemption: "exm_0000000000000000"
}

const applicantRef = ({ applicant }: Subjects) => ({ type: "applicant", id: applicant })
const workerRef = ({ worker }: Subjects) => ({ type: "worker", id: worker })

/** Bodies that each endpoint takes; none where it takes no body. */
const bodies: Readonly<Record<string, (of: Subjects) => unknown>> = {
  "workers.create": () => ({ identity: { displayName: "Ann Example" } }),
  "workers.replace": () => ({ identity: { displayName: "Bob Example" } }),
  "workers.patch": () => ({ employment: { jobTitle: "Nurse" } }),
  "applicants.create": () => ({ emailAddress: "ann@example.org" }),
  "applicants.replace": () => ({ emailAddress: "bob@example.org" }),
  "applicants.patch": () => ({ phone: "000" }),
  "exemptions.create": ({ worker }) => ({ exemptionType: "MEDICAL", worker: { id: worker } }),
  "exemptions.replace": ({ applicant }) => ({ exemptionType: "RELIGIOUS", applicant: { id: applicant } }),
  "exemptions.patch": () => ({ reason: "told" }),
  "credentials.create": ({ worker }) => ({ attributes: { credentialType: "FIRST_AID", owners: { worker } } }),
  "credentials.replace": ({ worker }) => ({
    attributes: { credentialType: "FIRST_AID", category: "Bronze", owners: { worker } }
  }),
  "credentials.patch": () => ({ attributes: { category: "Silver" } }),
  "credentials.link": applicantRef,
  "credentials.unlink": applicantRef,
  "credentials.transfer": (of) => ({ from: workerRef(of), to: applicantRef(of) }),
  "credentials.bulkLink": (of) => ({ to: applicantRef(of), credentialIds: [of.credential] }),
  "credentials.bulkTransfer": (of) => ({ from: workerRef(of), to: applicantRef(of), credentialIds: [of.credential] })
}

const withoutBody: ReadonlyArray<string> = ["list", "read", "remove"]

const idOf = (name: string, of: Subjects): string => {
  if (name.startsWith("workers.")) return of.worker
  if (name.startsWith("applicants.")) return of.applicant
  if (name.startsWith("exemptions.")) return of.exemption
  return name === "credentials.unlink" ? of.shared : of.credential
}

/** Where an endpoint is called, about these subjects. */
export const pathOf = ({ name, path }: Endpoint, of: Subjects): string => path.replace(":id", idOf(name, of))

/** A call that succeeds, and that changes something if it is no GET, where the subjects are fresh. */
export const goodCall = (route: Endpoint, of: Subjects): Call => {
  const body = bodies[route.name]
  const isKnown = body !== undefined || withoutBody.includes(route.name.split(".")[1] ?? "")
  // A new endpoint is called too: somebody has to say how.
  if (!isKnown) throw new Error(`no body is known for ${route.name}`)
  const call = { method: route.method, path: pathOf(route, of) }
  return body === undefined ? call : { ...call, body: body(of) }
}

/** A call that could be answered 400 and 404, if it came so far: a body that is no JSON, about nothing that exists. */
export const badCall = (route: Endpoint): Call => ({
  method: route.method,
  path: `${pathOf(route, missing)}${route.method === "GET" ? "?sort=nonsense" : ""}`,
  ...(route.method === "GET" ? {} : { rawBody: "{", headers: { "content-type": "application/json" } })
})

/** The status of a good call. */
export const goodStatus = ({ method, name }: Endpoint): number => {
  if (method === "DELETE") return 204
  return name.endsWith(".create") ? 201 : 200
}
