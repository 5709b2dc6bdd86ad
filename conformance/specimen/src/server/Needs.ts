import type { Call } from "./Call.ts"
import type { Operation } from "./Group.ts"
import { authorize } from "./Guard.ts"
import type { World } from "./World.ts"

/** A call, as far as its privileges depend on it. */
interface Guarded {
  readonly endpoint: string
  readonly type: string
  readonly operation: Operation
}

/** Calls whose privilege the specification leaves open, and the points at which the server has chosen one. */
const open: ReadonlyArray<readonly [endpoint: RegExp, point: string]> = [
  [/^POST \/credentials\/(?:\{id\}\/)?(?:link|unlink|transfer)$/, "privilege of an ownership call"],
  [/\/verify$/, "privilege of a verification"],
  [/\/rotate$/, "privilege of a rotation"]
]

const among: Readonly<Record<string, ReadonlyArray<Operation>>> = {
  CREATE: ["CREATE"],
  UPDATE: ["UPDATE"],
  "CREATE and UPDATE": ["CREATE", "UPDATE"]
}

const operationsOf = ({ chosen }: World, { endpoint, operation }: Guarded): ReadonlyArray<Operation> => {
  const [, point] = open.find(([path]) => path.test(endpoint)) ?? []
  return (point === undefined ? undefined : among[chosen(point, operation)]) ?? [operation]
}

/** Fails if the caller lacks a privilege that the call needs. */
export const checkPrivileges = ({ account, at, world }: Call, guarded: Guarded): void => {
  if (account.grants === "all") return
  const isWorker = guarded.type === "applicant" && world.chosen("entity type of applicants", "applicant") === "worker"
  for (const operation of operationsOf(world, guarded)) {
    authorize(account, isWorker ? "worker" : guarded.type, operation, at)
  }
}
