/** A handle in a text, and its name. It stands for a secret: `‹CONF_TOKEN›`, `‹token of admin›`, `‹access_token of #12›`. */
export const handle = /‹([^‹›]*)›/

export const handles = new RegExp(handle, "g")

export const isHandle = (text: string): boolean => /^‹[^‹›]*›$/.test(text)

export const handleOf = (name: string): string => `‹${name}›`

const encoded = /%E2%80%B9(.*?)%E2%80%BA/gi

/** A URL or a form, with handles that are readable although the text was encoded. */
export const readable = (text: string): string =>
  text.replaceAll(encoded, (_, name: string) => handleOf(decodeURIComponent(name.replaceAll("+", "%20"))))
