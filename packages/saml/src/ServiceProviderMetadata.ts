import type { Certificate } from "./Certificate.ts"
import type { ServiceProvider } from "./Connection.ts"
import { escaped, namespaces } from "./Xml.ts"

/**
 * Our metadata for an identity provider: where to post responses, and that assertions must be signed and names be
 * persistent. With a certificate it also says that our requests are signed, and by which key.
 */
export const toXml = ({ acsUrl, entityId }: ServiceProvider, requestsSignedBy?: Certificate): string =>
  '<?xml version="1.0" encoding="UTF-8"?>' +
  `<md:EntityDescriptor xmlns:md="${namespaces.md}" entityID="${escaped(entityId)}">` +
  `<md:SPSSODescriptor AuthnRequestsSigned="${requestsSignedBy !== undefined}" WantAssertionsSigned="true"` +
  ` protocolSupportEnumeration="${namespaces.samlp}">` +
  (requestsSignedBy === undefined ? "" : keyDescriptor(requestsSignedBy)) +
  "<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>" +
  '<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"' +
  ` Location="${escaped(acsUrl)}" index="0" isDefault="true"/>` +
  "</md:SPSSODescriptor></md:EntityDescriptor>"

const keyDescriptor = ({ pem }: Certificate): string =>
  `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${namespaces.ds}"><ds:X509Data><ds:X509Certificate>` +
  pem.replace(/-----[^-]+-----|\s/g, "") +
  "</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
