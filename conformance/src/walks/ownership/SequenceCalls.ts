import { Effect } from "effect"
import { bulkLink, bulkTransfer, link, type Owner, transfer, unlink } from "../../calls/OwnershipCalls.ts"
import { operationOf, type People, type Step } from "../../calls/OwnershipSteps.ts"
import { type Names, operationInWords } from "../../calls/OwnershipStory.ts"
import { remove } from "../../calls/Resources.ts"
import type { Known } from "../../calls/TransitionReadings.ts"
import type { Operation, Party } from "../../calls/Transitions.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

/** A credential of a sequence, and its known slots. */
export interface Credential {
  readonly id: string
  known: Known
  isDeleted: boolean
}

/** A call of a sequence. */
export interface Called {
  readonly answer: Exchange
  readonly words: string
  /** Undefined if the call changes no owner. */
  readonly operation: Operation | undefined
  /** The credentials that the call affects. */
  readonly about: ReadonlyArray<Credential>
  readonly isBulk: boolean
}

/**
 * There is no response, or the response does not show the result. The call may have been executed, or may be executed
 * later.
 */
export const isLost = (exchange: Exchange): boolean => [0, 429, 503].includes(statusOf(exchange))

const reference = ({ id, type }: Party): Owner => ({ type, id })

/** Sends an operation on one credential. */
export const sendOperation = (id: string, operation: Operation) => {
  switch (operation.verb) {
    case "link":
      return link(id, reference(operation.to))
    case "unlink":
      return unlink(id, reference(operation.from))
    case "transfer":
      return transfer(id, reference(operation.from), reference(operation.to))
  }
}

type BulkOperation = Exclude<Operation, { readonly verb: "unlink" }>

const sayOfAll = (operation: BulkOperation, credentialIds?: ReadonlyArray<string>) => {
  const body = { to: reference(operation.to), ...(credentialIds && { credentialIds }) }
  return operation.verb === "link" ? bulkLink(body) : bulkTransfer({ from: reference(operation.from), ...body })
}

/** A step with actual credentials and owners. */
export type Prepared =
  | { readonly as: "single"; readonly one: Credential; readonly operation: Operation }
  | { readonly as: "bulk"; readonly operation: BulkOperation; readonly named: ReadonlyArray<Credential> | undefined }
  | { readonly as: "delete"; readonly one: Credential }

const living = (credentials: ReadonlyArray<Credential>) => credentials.filter(({ isDeleted }) => !isDeleted)

/**
 * The call for a step in the present state; undefined if the step has no target. `last` is the call that may be
 * repeated.
 */
export const prepare = (
  step: Step,
  people: People,
  credentials: ReadonlyArray<Credential>,
  last: Prepared | undefined
): Prepared | undefined => {
  if (step.as === "again") return last?.as === "delete" ? undefined : last
  if (step.as === "delete" || step.as === "single") {
    const one = credentials[step.credential]
    if (one === undefined || one.isDeleted) return undefined
    if (step.as === "delete") return { as: "delete", one }
    return { as: "single", one, operation: operationOf(people, one.known.state, step.planned) }
  }
  const [first] = living(credentials)
  if (first === undefined) return undefined
  const operation = operationOf(people, first.known.state, step.planned)
  if (operation.verb === "unlink") return undefined
  return { as: "bulk", operation, named: step.as === "batch" ? living(credentials) : undefined }
}

/** Makes a call. Without credential ids, it affects those that `from` owns. */
export const callOf = Effect.fnUntraced(function* (
  prepared: Prepared,
  names: Names,
  credentials: ReadonlyArray<Credential>
) {
  const nameOf = ({ id }: Credential): string => names.get(id) ?? id
  if (prepared.as === "delete") {
    const answer = yield* remove("credential", prepared.one.id)
    prepared.one.isDeleted = isIn(answer, 2)
    const called: Called = {
      answer,
      words: `${nameOf(prepared.one)}: delete`,
      operation: undefined,
      about: [],
      isBulk: false
    }
    return called
  }
  const { operation } = prepared
  const does = operationInWords(names, operation)
  if (prepared.as === "single") {
    const answer = yield* sendOperation(prepared.one.id, operation)
    const words = `${nameOf(prepared.one)}: ${does}`
    const called: Called = { answer, words, operation, about: [prepared.one], isBulk: false }
    return called
  }
  const { named } = prepared
  const isHeld = ({ known: { state } }: Credential) =>
    operation.verb === "transfer" && state[operation.from.type] === operation.from.id
  const answer = yield* sayOfAll(
    prepared.operation,
    named?.map(({ id }) => id)
  )
  const which = named === undefined ? "all that from owns" : named.map(nameOf).join(", ")
  const about = named ?? living(credentials).filter(isHeld)
  const called: Called = { answer, words: `in bulk, ${which}: ${does}`, operation, about, isBulk: true }
  return called
})
