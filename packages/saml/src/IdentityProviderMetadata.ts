import { fromRfc3339, type Instant } from "@wcs/domain/shared/Instant"
import { Clock, Effect, Option, Result } from "effect"
import { type Certificate, fromText } from "./Certificate.ts"
import { certificatesMax, type IdentityProvider } from "./Connection.ts"
import { parse } from "./Parsing.ts"
import { type UploadReason, UploadRefused } from "./Refusal.ts"
import { ssoUrlFromText } from "./SsoUrl.ts"
import { readUpload } from "./TextGate.ts"
import { attributeOf, childrenOf, elementsOf, nameOf, namespaces, textOf } from "./Xml.ts"

const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
/** SAML core, section 8.3.6. */
const entityIdLengthMax = 1024

/**
 * Reads the metadata that an administrator uploads: the identity provider's name, its single sign-on URL, and the
 * certificates that may sign. A signature on the metadata is not verified: the administrator vouches for the file.
 * Reads the time from the `Clock`, and refuses metadata whose `validUntil` has passed.
 */
export const read = Effect.fn("IdentityProviderMetadata.read")(function* (file: Uint8Array) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.fromResult(Result.mapError(readAt(file, now), (reason) => new UploadRefused({ reason })))
})

const readAt = (file: Uint8Array, now: Instant): Result.Result<IdentityProvider, UploadReason> =>
  Result.gen(function* () {
    const root = parse(yield* readUpload(file))
    if (root === undefined) return yield* refuse({ _tag: "NotWellFormed", offset: 0 })
    if (nameOf(root) !== "md:EntityDescriptor") return yield* refuse({ _tag: "NotMetadata", element: nameOf(root) })
    yield* checkValidUntil(root, now)
    const entityId = attributeOf(root, "entityID") ?? ""
    const isEntityId = entityId.length <= entityIdLengthMax && /^[A-Za-z][\w+.-]*:\S+$/.test(entityId)
    if (!isEntityId) return yield* refuse({ _tag: "EntityIdInvalid" })
    const role = roleOf(root)
    if (role === undefined) return yield* refuse({ _tag: "NotAnIdentityProvider" })
    yield* checkValidUntil(role, now)
    return {
      entityId,
      ssoUrl: yield* readSsoUrl(role),
      certificates: yield* readCertificates(role),
      wantsSignedRequests: /^(true|1)$/.test(attributeOf(role, "WantAuthnRequestsSigned") ?? "")
    }
  })

const checkValidUntil = (element: Element, now: Instant): Result.Result<void, UploadReason> => {
  const validUntil = fromRfc3339(attributeOf(element, "validUntil") ?? "")
  return validUntil === undefined || now < validUntil ? Result.void : refuse({ _tag: "MetadataExpired", validUntil })
}

const roleOf = (root: Element): Element | undefined =>
  childrenOf(root, "md:IDPSSODescriptor").find((role) =>
    (attributeOf(role, "protocolSupportEnumeration") ?? "").split(/\s+/).includes(namespaces.samlp)
  )

const readSsoUrl = (role: Element): Result.Result<string, UploadReason> => {
  const service = childrenOf(role, "md:SingleSignOnService").find(
    (candidate) => attributeOf(candidate, "Binding") === redirectBinding
  )
  if (service === undefined) return refuse({ _tag: "RedirectBindingMissing" })
  const url = attributeOf(service, "Location") ?? ""
  return Option.match(ssoUrlFromText(url), {
    onNone: () => refuse({ _tag: "SsoUrlRefused", url }),
    onSome: (ssoUrl) => Result.succeed(ssoUrl)
  })
}

/** A key without a use is for signing too (SAML metadata, section 2.4.1.1). The same one may be listed twice. */
const readCertificates = (role: Element): Result.Result<ReadonlyArray<Certificate>, UploadReason> =>
  Result.gen(function* () {
    const found = new Map<string, Certificate>()
    const keys = childrenOf(role, "md:KeyDescriptor").filter((key) => attributeOf(key, "use") !== "encryption")
    for (const element of keys.flatMap((key) =>
      descendants(key, ["ds:KeyInfo", "ds:X509Data", "ds:X509Certificate"])
    )) {
      const certificate = yield* fromText(textOf(element))
      found.set(certificate.fingerprint, certificate)
    }
    if (found.size === 0) return yield* refuse({ _tag: "CertificateMissing" })
    if (found.size > certificatesMax) {
      return yield* refuse({ _tag: "CertificatesTooMany", count: found.size, countMax: certificatesMax })
    }
    return [...found.values()]
  })

/** The elements at the end of a path of names. */
const descendants = (element: Element, [name, ...rest]: ReadonlyArray<string>): ReadonlyArray<Element> =>
  name === undefined
    ? [element]
    : elementsOf(element)
        .filter((child) => nameOf(child) === name)
        .flatMap((child) => descendants(child, rest))

const refuse = (reason: UploadReason): Result.Result<never, UploadReason> => Result.fail(reason)
