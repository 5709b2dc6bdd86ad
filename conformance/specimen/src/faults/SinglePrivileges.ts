import { type Route, routes } from "../server/Routes.ts"
import { at, each, endpoints, type Fault, isCreate, isDelete, isList, isUpdate, row, rows, some } from "./Rows.ts"

const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const
type Operation = (typeof operations)[number]

const lists = endpoints(isList)
const creates = endpoints(isCreate)
const updates = endpoints(isUpdate)
const deletes = endpoints(isDelete)

/** The groups that have every operation, and the calls of each operation. */
const types = ["worker", "applicant", "exemption", "credentialCheck", "captureRequest", "credential", "webhook"]
const calls: Readonly<Record<Operation, ReadonlyArray<string>>> = {
  READ: lists,
  CREATE: creates,
  UPDATE: updates,
  DELETE: deletes
}

const routeOf = (endpoint: string): Route | undefined => routes.find((route) => route.endpoint === endpoint)

const endpointOf = (type: string, operation: Operation): string =>
  calls[operation].find((endpoint) => routeOf(endpoint)?.type === type) ?? ""

/** Each call, by a caller who has another operation on the same type and nothing else. */
const alone = types.flatMap((type) =>
  operations.flatMap((needed) =>
    operations
      .filter((has) => has !== needed)
      .map((has) => ({ endpoint: endpointOf(type, needed), caller: `limited to ${type}:${has}` }))
  )
)

/** Each call, by a caller who has the same operation on another type and nothing else. */
const elsewhere = operations.flatMap((operation) =>
  types.flatMap((type) =>
    types
      .filter((other) => other !== type)
      .map((other) => ({ endpoint: endpointOf(type, operation), caller: `limited to ${other}:${operation}` }))
  )
)

/** Each call, by a caller who has every operation on another type. */
const whole = types.flatMap((type, index) => {
  const other = types[(index + 1) % types.length] ?? ""
  const caller = `limited to ${operations.map((operation) => `${other}:${operation}`).join(" ")}`
  return operations.map((operation) => ({ endpoint: endpointOf(type, operation), caller }))
})

const ruleOf = { READ: "PRV-01", CREATE: "PRV-02", UPDATE: "PRV-03", DELETE: "PRV-04" } as const

/** Faults of PRV: callers with exactly one privilege, repetitions, and what a refused call has done. */
export const singlePrivilegeFaults: ReadonlyArray<Fault> = [
  ...rows("PRV-05 status", "a privilege is not checked", some(alone, 28, 1)),
  ...rows("PRV-06 status", "a privilege is not checked", some(elsewhere, 14, 5)),
  ...rows("PRV-06 status", "a privilege is not checked", some(whole, 7, 2)),
  ...rows("PRV-05 status", "a privilege is not enough", [
    ...at(lists, 3),
    ...at(creates, 3, 1),
    ...at(updates, 3, 1),
    ...at(deletes, 3, 4)
  ]),
  ...operations.flatMap((operation, index) => [
    ...rows(
      `${ruleOf[operation]} status`,
      "a privilege is not checked",
      at(calls[operation], 1, index + 2, { turn: "later" })
    ),
    ...rows(
      `${ruleOf[operation]} status`,
      "a privilege is not checked",
      at(calls[operation], 1, index + 3, { following: "a refusal" })
    )
  ]),
  ...rows("PRV-09 changed", "the call is made before the privilege is checked", [
    ...at(creates, 3, 1),
    ...at(updates, 4, 1),
    ...at(deletes, 4, 1),
    { endpoint: "POST /fetch-requests/batch" },
    { endpoint: "POST /webhooks/{id}/deliveries/{id}/again" }
  ]),
  ...rows(
    "PRV-16 changed",
    "the call is made before the privilege is checked",
    each("endpoint", ["POST /credentials/{id}/verify", "POST /webhooks/{id}/rotate"])
  ),
  ...rows(
    "PRV-17 changed",
    "the call is made before the privilege is checked",
    each("endpoint", ["POST /credentials/{id}/link", "POST /credentials/transfer"], {
      caller: "limited to credential:READ"
    })
  ),
  ...rows("PRV-11 status", "a privilege is not checked", [
    { endpoint: "GET /workers", caller: "limited to nothing, again" },
    { endpoint: "GET /credentials/{id}", caller: "limited to nothing, again" },
    { endpoint: "POST /credentials/{id}/link", caller: "limited to credential:READ, again" }
  ]),
  ...row("PRV-06 status", "a privilege is not checked", {
    endpoint: "GET /workers/{id}",
    derived: "yes",
    caller: "limited to worker:READ"
  }),
  ...rows("PRV-07 status", "the body is checked before the privilege", at(creates, 2, 3, { turn: "later" })),
  ...rows("PRV-10 wrong-value", "a refusal names nobody", [
    { endpoint: "POST /credentials/{id}/link" },
    { endpoint: "POST /credentials/{id}/verify" },
    ...at(deletes, 1, 3)
  ])
]
