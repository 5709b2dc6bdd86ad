/** The labels of the fields that forms show, by their path in a body of the API. */
export const fieldLabels: Readonly<Record<string, string>> = {
  "identity.displayName": "Display name",
  "identity.firstName": "First name",
  "identity.lastName": "Last name",
  "identity.birthDate": "Birth date",
  "employment.jobTitle": "Job title",
  "employment.status": "Status",
  "contact.workEmail": "Work email",
  "contact.personalEmail": "Private email",
  "contact.mobileNumber": "Phone",
  "source.externalId": "Your id",
  "unit.id": "Unit",
  displayName: "Display name",
  firstName: "First name",
  lastName: "Last name",
  surname: "Surname",
  birthDate: "Birth date",
  status: "Status",
  emailAddress: "Email",
  email: "Email",
  phone: "Phone",
  role: "Role",
  worker: "Worker",
  name: "Name",
  url: "Address",
  events: "Events",
  credentialType: "Register",
  secret: "Secret",
  intervalDays: "Days between verifications",
  limits: "Limits",
  "limits.callsPerMinute": "Questions per minute",
  domains: "Domains of email addresses",
  metadata: "Metadata",
  "attributes.credentialType": "Type",
  "attributes.identifier": "Identifier",
  "attributes.issueNumber": "Issue number",
  "attributes.holder.firstName": "First name of the holder",
  "attributes.holder.middleName": "Middle name of the holder",
  "attributes.holder.lastName": "Last name of the holder",
  "attributes.holder.birthDate": "Birth date of the holder",
  "attributes.issuingCountry": "Country of issue",
  "attributes.issueDate": "Issued",
  "attributes.expiryDate": "Expires",
  statusDetail: "Verdict",
  issuedOn: "Date of the notice",
  reference: "Reference",
  expiryDate: "Expires"
}

/** A refusal with the labels of its fields: each sentence of a 400 begins with the path of a field. */
export const withLabels = (message: string): string =>
  message.replaceAll(/(^|\. )([a-z]\w*(?:\.\w+)*)(?= )/g, (whole, before: string, path: string) => {
    const label = Object.hasOwn(fieldLabels, path) ? fieldLabels[path] : undefined
    return label === undefined ? whole : `${before}“${label}”`
  })

/** A text of the server about a credential, with labels instead of the paths of its fields, such as `holder.lastName`. */
export const withCredentialLabels = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:[A-Z]\w*|(?:\.\w+)+)/g, (path) => fieldLabels[`attributes.${path}`] ?? path)
