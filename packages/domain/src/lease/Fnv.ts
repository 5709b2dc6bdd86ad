/** Where FNV-1a begins. */
const offsetBasis = 0x811c9dc5

/** Returns the 32-bit FNV-1a hash of the UTF-16 code units of a text. It may continue the hash of another text. */
export const fnv1a = (text: string, basis: number = offsetBasis): number => {
  let hash = basis
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
