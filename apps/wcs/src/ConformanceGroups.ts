import { resourcesOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { entities, type Operation } from "@wcs/domain/access/Privilege"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Schema, type SchemaAST } from "effect"

// The groups of a profile, the same for all our deployments. A plain group needs no entry here. The suite replaces {{name}} in templates with a value, and
// {{worker}} and similar names with the id of a resource.

const worker = {
  path: "/workers",
  create: { body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } } },
  update: [
    { method: "PATCH", path: "/workers/{{id}}", body: { contact: { workEmail: "{{email}}" } } },
    {
      method: "PUT",
      path: "/workers/{{id}}",
      body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/workers/{{id}}" },
  find: "/workers?externalId={{unique}}"
} as const

const credential = {
  path: "/credentials",
  create: {
    body: {
      attributes: {
        credentialType: "FIRST_AID",
        identifier: "{{unique}}",
        owners: { worker: "{{worker}}", applicant: "{{applicant}}" }
      }
    }
  },
  update: [
    { method: "PATCH", path: "/credentials/{{id}}", body: { attributes: { cardType: "{{unique}}" } } },
    {
      method: "PUT",
      path: "/credentials/{{id}}",
      body: { attributes: { credentialType: "FIRST_AID", identifier: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/credentials/{{id}}" }
} as const

const applicant = {
  path: "/applicants",
  create: { body: { displayName: "{{name}}", emailAddress: "{{email}}", source: { externalId: "{{unique}}" } } },
  update: [
    { method: "PATCH", path: "/applicants/{{id}}", body: { displayName: "{{name}}" } },
    {
      method: "PUT",
      path: "/applicants/{{id}}",
      body: { displayName: "{{name}}", emailAddress: "{{email}}", source: { externalId: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/applicants/{{id}}" },
  find: "/applicants?externalId={{unique}}"
} as const

const exemption = {
  path: "/exemptions",
  create: { body: { exemptionType: "{{unique}}", worker: { id: "{{worker}}" } } },
  update: [
    { method: "PATCH", path: "/exemptions/{{id}}", body: { reason: "{{unique}}" } },
    {
      method: "PUT",
      path: "/exemptions/{{id}}",
      body: { exemptionType: "{{unique}}", worker: { id: "{{worker}}" }, reason: "{{name}}" }
    }
  ],
  delete: { method: "DELETE", path: "/exemptions/{{id}}" },
  find: "/exemptions?exemptionType={{unique}}"
} as const

const complianceCheck = {
  path: "/compliance-checks",
  create: {
    body: { code: "{{unique}}", displayName: "{{name}}", requirement: { credentialTypes: ["FIRST_AID"] } }
  },
  update: [
    { method: "PATCH", path: "/compliance-checks/{{id}}", body: { description: "{{unique}}" } },
    {
      method: "PUT",
      path: "/compliance-checks/{{id}}",
      body: { code: "{{id}}", displayName: "{{name}}", requirement: { credentialTypes: ["FIRST_AID"] } }
    }
  ],
  delete: { method: "DELETE", path: "/compliance-checks/{{id}}" },
  find: "/compliance-checks?query=Conformance%20{{unique}}"
} as const

/** The newest resources. These groups have no filter on their content. */
const newest = "sort=createdAt:desc&pageSize=100"

const credentialCheck = {
  path: "/recruitment-checks",
  create: {
    body: { applicant: { id: "{{applicant}}" }, screeningPackageCode: "{{screeningPackage}}", message: "{{unique}}" }
  },
  update: [
    { method: "PATCH", path: "/recruitment-checks/{{id}}", body: { message: "{{unique}}" } },
    {
      method: "PUT",
      path: "/recruitment-checks/{{id}}",
      body: { applicant: { id: "{{applicant}}" }, screeningPackageCode: "{{screeningPackage}}", message: "{{name}}" }
    }
  ],
  delete: { method: "DELETE", path: "/recruitment-checks/{{id}}" },
  find: `/recruitment-checks?${newest}`
} as const

const captureRequest = {
  path: "/fetch-requests",
  create: {
    body: { worker: { id: "{{worker}}" }, requestedCredentialTypes: ["FIRST_AID"], message: "{{unique}}" }
  },
  update: [
    { method: "PATCH", path: "/fetch-requests/{{id}}", body: { message: "{{unique}}" } },
    {
      method: "PUT",
      path: "/fetch-requests/{{id}}",
      body: { worker: { id: "{{worker}}" }, requestedCredentialTypes: ["FIRST_AID"], message: "{{name}}" }
    }
  ],
  delete: { method: "DELETE", path: "/fetch-requests/{{id}}" },
  find: `/fetch-requests?${newest}`
} as const

/** A URL without a server: names under `.invalid` never resolve (RFC 6761, section 6.4). */
const nowhere = "https://receiver.invalid/{{unique}}"

const webhook = {
  path: "/webhooks",
  create: { body: { name: "{{name}}", url: "{{receiver}}", events: ["webhook.test"] } },
  update: [
    { method: "PATCH", path: "/webhooks/{{id}}", body: { url: nowhere } },
    { method: "PUT", path: "/webhooks/{{id}}", body: { name: "{{name}}", url: nowhere, events: ["webhook.test"] } }
  ],
  delete: { method: "DELETE", path: "/webhooks/{{id}}" },
  find: "/webhooks?query=Conformance%20{{unique}}"
} as const

const auditEvent = { path: "/audit-events" } as const

const accessToken = {
  path: "/access-tokens",
  create: { body: { name: "conformance {{unique}}", expiresInSeconds: 3600 }, secret: "data.token" },
  delete: { method: "DELETE", path: "/access-tokens/{{id}}" },
  find: `/access-tokens?${newest}`
} as const

const apiClient = {
  path: "/api-clients",
  create: { body: { name: "conformance {{unique}}" }, secret: "data.clientSecret" },
  delete: { method: "DELETE", path: "/api-clients/{{id}}" },
  find: `/api-clients?${newest}`
} as const

const isOptional = ({ context }: SchemaAST.AST): boolean => context?.isOptional === true

/** Whether a schema accepts every name and unique text that the suite fills in. */
const takesText = (schema: SchemaAST.AST): boolean => Schema.is(Schema.make(schema))("Conformance conf-1")

/**
 * Returns the templates of a group from its definition. Returns undefined for a group that needs its own templates: a
 * field of create is neither the code nor any text, or the resource refers to others.
 */
const templatesOf = ({ collection, defaults, fields, filters, links, naming, type }: Resource) => {
  const path = `/${collection}`
  const operations: ReadonlyArray<Operation> = entities[type].operations
  if (!operations.includes("CREATE")) return { path }
  const [code] = naming.by === "code" ? naming.path : []
  const omitted = [code, ...defaults.flatMap((one) => (one.path.length === 1 ? one.path : []))]
  const written = fields.ast._tag === "Objects" ? fields.ast.propertySignatures : []
  const chosen = written.map((field) => ({ ...field, name: String(field.name) }))
  const texts = chosen.filter((field) => !omitted.includes(field.name) && takesText(field.type))
  const required = chosen.filter((field) => !omitted.includes(field.name) && !isOptional(field.type))
  const changed = texts.find((field) => isOptional(field.type)) ?? texts[0]
  if (changed === undefined || links.length > 0 || required.some((field) => !texts.includes(field))) return undefined
  const named = (id: string) => ({
    ...(code === undefined ? {} : { [code]: id }),
    ...Object.fromEntries(required.map(({ name }) => [name, "{{name}}"]))
  })
  const single = `${path}/{{id}}`
  return {
    path,
    create: { body: named("{{unique}}") },
    update: [
      { method: "PATCH", path: single, body: { [changed.name]: "{{unique}}" } },
      { method: "PUT", path: single, body: named("{{id}}") }
    ],
    delete: { method: "DELETE", path: single },
    find: `${path}?${filters["query"]?.by === "words" ? "query=Conformance%20{{unique}}" : newest}`
  }
}

/** Resources that the specification lacks. */
const unjudged: ReadonlyArray<string> = ["task", "unit", "message", "answer"]

/** The groups that need no templates of their own. The suite does not judge those that the specification lacks. */
const plain = Object.fromEntries(
  resourcesOf(NewerSurface).flatMap((resource) => {
    const templates = unjudged.includes(resource.type) ? undefined : templatesOf(resource)
    return templates === undefined ? [] : [[resource.type, templates] as const]
  })
)

/** By entity type. */
export const groups = {
  ...plain,
  worker,
  credential,
  applicant,
  credentialCheck,
  captureRequest,
  exemption,
  complianceCheck,
  webhook,
  auditEvent,
  accessToken,
  apiClient
} as const
