import type { Owner } from "../calls/OwnershipCalls.ts"
import { itemsOf } from "../calls/Reading.ts"
import type { Owners } from "../calls/Resources.ts"
import * as Expect from "../judgement/Expect.ts"
import { inShort } from "../judgement/Judge.ts"
import { at, type Json } from "../text/Json.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"

/** The statuses of items in a bulk answer (§2.2). */
export const itemStatuses = ["linked", "transferred", "noop", "skipped"] as const
export type ItemStatus = (typeof itemStatuses)[number]

export const itemsIn = (batch: Exchange): ReadonlyArray<Json> => itemsOf(batch.answer?.json)

const isSkipped = (item: Json): boolean => at(item, "status") === "skipped"

/** There are items; a rule about items proves nothing without one. */
const some = (batch: Exchange): Expect.Met =>
  itemsIn(batch).length === 0
    ? Expect.difference(batch, "missing", "body.data", "items", Expect.valueAt(batch, "data"))
    : []

const everyItem = (batch: Exchange, check: (item: Json, path: string) => Expect.Met): Expect.Met => [
  ...some(batch),
  ...itemsIn(batch).flatMap((item, index) => check(item, `data.${index}`))
]

const present = (batch: Exchange, path: string): Expect.Met =>
  Expect.valueAt(batch, path) === undefined ? Expect.difference(batch, "missing", `body.${path}`, "present", null) : []

/** The bulk answer as a whole: 200, items, and their counts in `meta`. */
export const envelope = (batch: Exchange): Expect.Met => {
  const status = Expect.status(batch, 200)
  if (status.length > 0) return status
  return [
    ...some(batch),
    ...["total", "succeeded", "failed"].flatMap((name) => present(batch, `meta.${name}`)),
    ...Expect.type(batch, "meta.requestId", "non-empty string")
  ]
}

/** The batch as a whole is not 409. */
export const noConflict = (batch: Exchange): Expect.Met =>
  statusOf(batch) === 409 ? Expect.difference(batch, "status", "status", "any but 409", 409) : Expect.answered(batch)

/** Each item names a credential and has a valid status. */
export const shapes = (batch: Exchange): Expect.Met =>
  everyItem(batch, (_, path) => [
    ...Expect.type(batch, `${path}.credentialId`, "non-empty string"),
    ...Expect.oneOf(batch, `${path}.status`, itemStatuses)
  ])

/** A skipped item has an error, and no other item has one. */
export const errors = (batch: Exchange): Expect.Met =>
  everyItem(batch, (item, path) =>
    isSkipped(item)
      ? [
          ...Expect.type(batch, `${path}.error.code`, "non-empty string"),
          ...Expect.type(batch, `${path}.error.message`, "string")
        ]
      : Expect.absent(batch, `${path}.error`)
  )

/** The three counts are numbers, and `total` is the number of items. */
export const counts = (batch: Exchange): Expect.Met => {
  const types = ["total", "succeeded", "failed"].flatMap((name) =>
    Expect.type(batch, `meta.${name}`, "non-negative integer")
  )
  return types.length > 0 ? types : [...some(batch), ...Expect.value(batch, "meta.total", itemsIn(batch).length)]
}

/** `failed` is the number of skipped items, `succeeded` the number of the others. */
export const outcomes = (batch: Exchange): Expect.Met => {
  const items = itemsIn(batch)
  const failed = items.filter(isSkipped).length
  return [
    ...some(batch),
    ...Expect.value(batch, "meta.failed", failed),
    ...Expect.value(batch, "meta.succeeded", items.length - failed)
  ]
}

/** The index of a credential's item; negative if absent. */
export const indexOf = (batch: Exchange, credential: string): number =>
  itemsIn(batch).findIndex((item) => at(item, "credentialId") === credential)

/** The status of a credential's item; undefined if absent. */
export const statusIn = (batch: Exchange, credential: string): Json | undefined =>
  Expect.valueAt(batch, `data.${indexOf(batch, credential)}.status`)

/** The item of a credential has this status and, if skipped, this reason. */
export const says = (batch: Exchange, credential: string, status: ItemStatus, code?: string): Expect.Met => {
  const index = indexOf(batch, credential)
  if (index < 0) return Expect.difference(batch, "missing", "body.data", `an item for ${credential}`, null)
  const wrong = Expect.value(batch, `data.${index}.status`, status)
  return wrong.length > 0 || code === undefined ? wrong : Expect.value(batch, `data.${index}.error.code`, code)
}

/** The items name each of these credentials once, and no others. */
export const isFor = (batch: Exchange, credentials: ReadonlyArray<string>): Expect.Met => {
  const named = itemsIn(batch).map((item) => String(at(item, "credentialId") ?? ""))
  const isSame = JSON.stringify(named.toSorted()) === JSON.stringify(credentials.toSorted())
  return isSame ? [] : Expect.difference(batch, "wrong-value", "body.data", { "items for": credentials }, named)
}

/** A bulk answer for observations: `200: transferred, noop`. */
export const batchInShort = (batch: Exchange): string => {
  const words = itemsIn(batch).map((item) => {
    const code = at(item, "error.code")
    return `${String(at(item, "status"))}${typeof code === "string" ? ` ${code}` : ""}`
  })
  return words.length === 0 ? inShort(batch) : `${inShort(batch)}: ${words.join(", ")}`
}

/** A credential and its owners before a batch. */
export interface Owned {
  readonly id: string
  readonly owners: Owners
}

/** The owners of a credential after a batch, according to its item. Only a done item puts `to` into its slot. */
export const ownersSaid = (batch: Exchange, { id, owners }: Owned, to: Owner): Owners => {
  const status = statusIn(batch, id)
  const isDone = status === "linked" || status === "transferred"
  return isDone ? { ...owners, [to.type]: to.id } : owners
}
