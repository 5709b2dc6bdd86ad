import { isObject, type Json } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"
import { nearest } from "./Nearest.ts"
import type { Group, Profile } from "./Profile.ts"

/** A template of a profile. */
interface TemplateEntry {
  readonly at: string
  readonly template: Json | undefined
  /** The names that are allowed there. */
  readonly names: ReadonlyArray<string>
}

/** The names that every created or changed resource has. */
const own = ["unique", "name", "email"]

/** The names of bodies that take one owner as a type and an id. */
const oneOwner = ["ownerType", "ownerId"]

const ofGroup = (type: string, group: Group, types: ReadonlyArray<string>): ReadonlyArray<TemplateEntry> => {
  const at = `groups.${type}`
  // the walk decides which owners a credential has
  const parts = type === "credential" ? ["worker"] : types
  const madeWith = type === "credential" ? ["worker", "applicant", ...oneOwner] : types.filter((one) => one !== type)
  return [
    { at: `${at}.path`, template: group.path, names: [] },
    { at: `${at}.create.body`, template: group.create?.body, names: [...own, "receiver", ...madeWith] },
    ...(group.update ?? []).flatMap(({ body, path }, index) => [
      { at: `${at}.update.${index}.path`, template: path, names: ["id"] },
      { at: `${at}.update.${index}.body`, template: body, names: [...new Set(["id", ...own, ...parts, type])] }
    ]),
    { at: `${at}.delete.path`, template: group.delete?.path, names: ["id"] },
    { at: `${at}.find`, template: group.find, names: ["unique"] }
  ]
}

const typesIn = ({ groups = {} }: Profile): ReadonlyArray<string> => [
  ...new Set(["worker", "credential", "applicant", ...Object.keys(groups)])
]

const ofGroups = (profile: Profile): ReadonlyArray<TemplateEntry> =>
  Object.entries(profile.groups ?? {}).flatMap(([type, group]) => ofGroup(type, group, typesIn(profile)))

const ofReadPaths = ({ providerPaths = [], readPaths = {} }: Profile): ReadonlyArray<TemplateEntry> => [
  ...Object.entries(readPaths).map(([type, template]) => ({ at: `readPaths.${type}`, template, names: [] })),
  ...providerPaths.map((template, index) => ({ at: `providerPaths.${index}`, template, names: [] }))
]

/** A login step may use values taken by earlier steps. Only the last one may use the code. */
const ofWebLogin = ({ webLogin }: Profile): ReadonlyArray<TemplateEntry> => {
  const steps = webLogin?.totp?.steps ?? []
  return steps.flatMap(({ form, json, path }, index) => {
    const taken = steps.slice(0, index).flatMap(({ take = {} }) => Object.keys(take))
    const names = index === steps.length - 1 ? [...taken, "code"] : taken
    const at = `webLogin.totp.steps.${index}`
    return [
      { at: `${at}.path`, template: path, names },
      { at: `${at}.form`, template: form, names },
      { at: `${at}.json`, template: json, names }
    ]
  })
}

const namePattern = /\{\{([^{}]*)\}\}/gu

/** Returns all names in a text. */
const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(namePattern)].map(([, name = ""]) => name))
]

/** The signed text may use the body, the headers, and the parts of the signature header. */
const ofSignature = ({ signature }: Profile): ReadonlyArray<TemplateEntry> => {
  const said = namesIn(signature?.form ?? "").filter((name) => name !== "signature")
  const names = [...new Set(["body", ...said, ...Object.keys(signature?.headers ?? {})])]
  return [{ at: "signature.signed", template: signature?.signed, names }]
}

/** Returns all templates of a profile. */
const templatesIn = (profile: Profile): ReadonlyArray<TemplateEntry> => {
  const { audit, bulkFetchRequest, businessRule, legacy, ownership, redrive, sort, subscribedWebhook } = profile
  const { derivedReads = [], verifiableCredential } = profile
  const types = typesIn(profile)
  const redriven = ["id", "delivery", "since"]
  const ofBusinessRule = [...own, "worker", "applicant", "credential"]
  return [
    ...ofGroups(profile),
    { at: "ownership.link", template: ownership?.link, names: ["type", "id"] },
    { at: "ownership.unlink", template: ownership?.unlink, names: ["type", "id"] },
    { at: "ownership.bulkLink", template: ownership?.bulkLink, names: ["from", "to", "credentialIds"] },
    { at: "sort.path", template: sort?.path, names: [] },
    { at: "businessRule.path", template: businessRule?.path, names: ["worker", "credential"] },
    { at: "businessRule.body", template: businessRule?.body, names: ofBusinessRule },
    { at: "businessRule.allowedBody", template: businessRule?.allowedBody, names: ofBusinessRule },
    { at: "redrive.path", template: redrive?.path, names: redriven },
    { at: "redrive.body", template: redrive?.body, names: redriven },
    { at: "verifiableCredential.body", template: verifiableCredential?.body, names: [...own, "worker", ...oneOwner] },
    { at: "audit.path", template: audit?.path, names: ["id"] },
    { at: "bulkFetchRequest.path", template: bulkFetchRequest?.path, names: [] },
    { at: "bulkFetchRequest.body", template: bulkFetchRequest?.body, names: [...own, "worker", "nobody"] },
    { at: "legacy.otherOrganization.path", template: legacy?.otherOrganization?.path, names: ["worker"] },
    { at: "legacy.withoutPermission.call.path", template: legacy?.withoutPermission?.call.path, names: [] },
    { at: "legacy.withoutPermission.call.body", template: legacy?.withoutPermission?.call.body, names: [] },
    { at: "legacy.scan", template: legacy?.scan, names: ["unique", "name"] },
    { at: "subscribedWebhook.body", template: subscribedWebhook?.body, names: [...own, "receiver", ...types] },
    ...derivedReads.flatMap(({ body, path }, index) => [
      { at: `derivedReads.${index}.path`, template: path, names: types },
      { at: `derivedReads.${index}.body`, template: body, names: types }
    ]),
    ...ofSignature(profile),
    ...ofWebLogin(profile),
    ...ofReadPaths(profile)
  ]
}

const braced = (name: string): string => `{{${inLine(name)}}}`

const sentencesOf = ({ at, names, template }: TemplateEntry): ReadonlyArray<string> => {
  if (Array.isArray(template) || isObject(template)) {
    return Object.entries(template).flatMap(([key, inner]) =>
      sentencesOf({ at: `${at}.${key}`, template: inner, names })
    )
  }
  if (typeof template !== "string") return []
  return namesIn(template).flatMap((name) => {
    if (names.includes(name)) return []
    const meant = nearest(name.trim(), names)
    const hint = meant === undefined ? "" : `; did you mean ${braced(meant)}?`
    const known = names.length === 0 ? "no name is allowed here" : `allowed here: ${names.map(braced).join(", ")}`
    return [`${at}: unknown name ${braced(name)}${hint} (${known})`]
  })
}

/** Returns an error for each unknown name in the templates. Such a name would be removed silently. */
export const unknownNames = (profile: Profile): ReadonlyArray<string> => templatesIn(profile).flatMap(sentencesOf)
