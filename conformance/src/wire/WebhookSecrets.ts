import { Schema } from "effect"
import { groupPathOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { at, type Json, parse } from "../text/Json.ts"
import { type Exchange, shapeIn } from "./Exchange.ts"
import { secretsIn } from "./SecretFields.ts"

/** Whether a text can be a whole secret: shown secrets may be masked, and shorter texts are not keys. */
const isWhole = (exchange: Exchange, text: string): boolean => {
  const { isMasked, length } = shapeIn(exchange, text)
  return length >= 16 && !isMasked
}

const pathOf = ({ request }: Exchange): string => new URL(request.url).pathname

/** Whether an exchange requested a new webhook or a new secret; undefined if neither. */
const askedFor = (profile: Profile, exchange: Exchange): "create" | "rotate" | undefined => {
  const groupPath = groupPathOf(profile, "webhook")
  if (exchange.request.method !== "POST" || groupPath === undefined) return undefined
  const path = pathOf(exchange)
  if (path.endsWith(groupPath)) return "create"
  return path.includes(`${groupPath}/`) && path.endsWith("/rotate") ? "rotate" : undefined
}

/** The secret in the response to a create or a rotation, at the position that the profile gives. */
export const secretAtPosition = (profile: Profile, exchange: Exchange): string | undefined => {
  const asked = askedFor(profile, exchange)
  const position = asked === undefined ? undefined : profile.signingSecret?.[asked]
  const secret = position === undefined ? undefined : at(exchange.answer?.json, position)
  return typeof secret === "string" && secret !== "" ? secret : undefined
}

/**
 * The secrets in such a response: at the position that the profile gives or, if it gives none, in fields with a typical
 * name.
 */
export const shownSecrets = (profile: Profile, exchange: Exchange): ReadonlyArray<string> => {
  const told = secretAtPosition(profile, exchange)
  if (told !== undefined) return [told]
  const asked = askedFor(profile, exchange)
  if (asked === undefined || profile.signingSecret?.[asked] !== undefined) return []
  const sent = JSON.stringify(parse(exchange.request.body) ?? null)
  return secretsIn(at(exchange.answer?.json, "data"))
    .map(([, text]) => text)
    .filter((text) => isWhole(exchange, text) && !sent.includes(text))
}

/** Texts with their places. */
export const Traces = Schema.Array(Schema.Tuple([Schema.String, Schema.Json]))

/** The parts of a webhook that reveal its secret: strings that are part of the secret. `open` shows values. */
export const tracesOf = (
  webhook: Json | undefined,
  secret: string,
  open = (text: string) => text
): typeof Traces.Type => {
  const whole = open(secret)
  return leavesOf(webhook).filter(
    ([, text]) => typeof text === "string" && text.length >= 3 && whole.includes(open(text))
  )
}

const leavesOf = (value: Json | undefined, position = ""): ReadonlyArray<readonly [at: string, Json]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => leavesOf(one, position === "" ? key : `${position}.${key}`))
    : value === undefined
      ? []
      : [[position, value]]
