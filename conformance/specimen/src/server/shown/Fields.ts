import type { Call } from "../Call.ts"
import { type Fields, isFields, type Resource } from "../World.ts"

/** Groups that the specification hardly shows. */
export const isFurther = (type: string): boolean =>
  ["exemption", "screeningPackage", "complianceCheck", "webhook", "credentialCheck", "captureRequest"].includes(type)

/** Whether resources of a type can own credentials. */
export const isOwner = (type: string): boolean => type === "worker" || type === "applicant"

/** The fields that every server shows, and those that the profile's changes write. */
const fewest: Readonly<Record<string, ReadonlyArray<string>>> = {
  worker: ["id", "attributes", "identity", "phone", "source"],
  applicant: ["id"],
  credential: ["id", "attributes", "owners", "holder"]
}

const only = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (!names.includes(name)) return []
      return [[name, isFields(value) && name === "attributes" ? only(value, names) : value]]
    })
  )

/** State that is another one in each read, until the resource is deleted. */
const moved = (call: Call, { deletedAt, type }: Resource, shown: Fields): Fields => {
  if (deletedAt !== null) return shown
  const own = type === "credential" ? "of credentials" : isFurther(type) ? "of further groups" : undefined
  if (own === undefined || call.world.chosen("state that moves by itself", "none") !== own) return shown
  const step = Number(call.world.kept.get("step") ?? 0) + 1
  call.world.kept.set("step", String(step))
  const more = { state: `STEP_${step}`, updated: new Date(step).toISOString() }
  const { attributes } = shown
  return { ...shown, ...more, ...(isFields(attributes) && { attributes: { ...attributes, state: more.state } }) }
}

/** What the server shows of a resource: a part of its fields, or all. */
export const shownOf = (call: Call, resource: Resource, fields: Fields): Fields => {
  const names = fewest[resource.type]
  const isWhole = names === undefined || call.world.chosen("fields that are shown", "all") === "all"
  return moved(call, resource, isWhole ? fields : only(fields, names))
}
