import { batches } from "./Batches.ts"
import { type Call, idOf, type Reply } from "./Call.ts"
import { credentials, fieldsOf, verify } from "./Credentials.ts"
import { redrive, rotate, webhooks } from "./Deliveries.ts"
import { create, type Group, list, type Operation, one, remove, update } from "./Group.ts"
import { auditTrail, fetchBatch, history, plainGroups, workers } from "./Groups.ts"
import { ownersOf, singles } from "./Ownership.ts"
import { issue } from "./TokenEndpoint.ts"
import { resourcesOf } from "./World.ts"

/** A call of the newer surface. */
export interface Route {
  /** The method and the path, as in the specification. */
  readonly endpoint: string
  readonly method: string
  readonly path: RegExp
  /** The number of fixed parts: of two routes the one with more is meant. */
  readonly fixed: number
  readonly type: string
  readonly operation: Operation
  readonly answer: (call: Call) => Reply | Promise<Reply>
}

const route = (endpoint: string, type: string, operation: Operation, answer: Route["answer"]): Route => {
  const [method = "", path = ""] = endpoint.split(" ")
  const parts = path.split("/")
  return {
    endpoint,
    method,
    path: new RegExp(`^${parts.map((part) => (part.startsWith("{") ? "([^/]+)" : part)).join("/")}$`),
    fixed: parts.filter((part) => !part.startsWith("{")).length,
    type,
    operation,
    answer
  }
}

const routesOf = (group: Group): ReadonlyArray<Route> => {
  const { operations, path, type } = group
  const [single, deleted] = [`${path}/{id}`, group.remove ?? `${path}/{id}`]
  return [
    route(`GET ${path}`, type, "READ", (call) => list(group, call)),
    route(`GET ${single}`, type, "READ", (call) => one(group, call)),
    ...(operations.includes("CREATE") ? [route(`POST ${path}`, type, "CREATE", (call) => create(group, call))] : []),
    ...(group.update === undefined
      ? []
      : [route(`${group.update} ${single}`, type, "UPDATE", (call) => update(group, call))]),
    ...(operations.includes("DELETE")
      ? [route(`DELETE ${deleted}`, type, "DELETE", (call) => remove(group, call))]
      : [])
  ]
}

/** A worker, with the credentials if the query asks for them. */
const worker = (call: Call): Reply => {
  const reply = one(workers, call)
  if (call.request.url.searchParams.get("expand") !== "credentials") return reply
  const { grants } = call.account
  const mayRead = grants === "all" || grants.has("credential:READ")
  if (!mayRead && call.world.chosen("expanded credentials without READ", "refused") === "left out") return reply
  const all = [...resourcesOf(call.tenant, "credential").values()]
  const own = all.filter((credential) => ownersOf(credential).worker === idOf(call) && credential.deletedAt === null)
  return {
    ...reply,
    data: { ...Object(reply.data), credentials: own.map((one) => ({ id: one.id, attributes: fieldsOf(call, one) })) }
  }
}

/** Begins to set up an integration. The state is no token. */
const setUp = (call: Call): Reply => {
  const url = "https://trustline.example/authorize"
  const session = () => issue(call.world, call.tenant, "session", 600, () => false)
  if (call.at("a provider path opens a session")) return { status: 200, data: { url, session: session() } }
  if (call.at("a provider path redirects with a session"))
    return { status: 302, headers: { location: `https://app.example/connected#access_token=${session()}` } }
  return { status: 200, data: { url, state: `state-${call.requestId}` } }
}

/** Every call of the newer surface except the token endpoint. */
export const routes: ReadonlyArray<Route> = [
  route("GET /workers/{id}", "worker", "READ", worker),
  ...[...plainGroups, credentials, webhooks].flatMap(routesOf),
  route("POST /credentials/{id}/verify", "credential", "CREATE", verify),
  route("POST /credentials/{id}/link", "credential", "UPDATE", singles.link),
  route("POST /credentials/{id}/unlink", "credential", "UPDATE", singles.unlink),
  route("POST /credentials/{id}/transfer", "credential", "UPDATE", singles.transfer),
  route("POST /credentials/link", "credential", "UPDATE", batches.link),
  route("POST /credentials/transfer", "credential", "UPDATE", batches.transfer),
  route("POST /fetch-requests/batch", "captureRequest", "CREATE", fetchBatch),
  route("POST /webhooks/{id}/rotate", "webhook", "CREATE", rotate),
  route("POST /webhooks/{id}/deliveries/{id}/again", "webhook", "UPDATE", redrive),
  route("GET /audit", "auditEntry", "READ", auditTrail),
  route("GET /workers/{id}/history", "auditEntry", "READ", history),
  route("POST /oauth/trustline/setup", "integration", "CREATE", setUp)
]

/** The routes by their first part, those with most fixed parts first. */
const byGroup = Map.groupBy(
  routes.toSorted((left, right) => right.fixed - left.fixed),
  ({ endpoint }) => endpoint.split("/")[1]
)

/** The route of a path below the root, the one with most fixed parts first. */
export const routeOf = (method: string, path: string) => {
  const found = (byGroup.get(path.split("/")[1]) ?? []).filter((one) => one.path.test(path))
  return { route: found.find((one) => one.method === method), others: found }
}
