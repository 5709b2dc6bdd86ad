import { randomBytes, randomUUID } from "node:crypto"
import { random, type World } from "../World.ts"

interface Form {
  /** The part after the prefix. `count` is the number of ids so far. */
  readonly make: (count: number) => string
  /** A pattern of that part. */
  readonly is: string
}

const base32 = "abcdefghijklmnopqrstuvwxyz234567"

const hexadecimal: Form = { make: () => random(), is: "[0-9A-Za-z]{24}" }

const forms: Readonly<Record<string, Form>> = {
  UUID: { make: () => randomUUID(), is: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" },
  base32: { make: () => [...randomBytes(26)].map((byte) => base32[byte % 32]).join(""), is: "[a-z2-7]{26}" },
  counted: { make: (count) => String(count), is: "[0-9]{1,15}" }
}

const formOf = ({ chosen }: World): Form => forms[chosen("form of ids", "hexadecimal")] ?? hexadecimal

/** A new id of a group. */
export const newId = (world: World, prefix: string): string => {
  const count = Number(world.kept.get("ids") ?? 0) + 1
  world.kept.set("ids", String(count))
  return `${prefix}${formOf(world).make(count)}`
}

/** Whether a text has the form of the ids of a group. */
export const isWellFormed = (world: World, prefix: string, id: string): boolean =>
  new RegExp(`^${prefix}${formOf(world).is}$`).test(id)
