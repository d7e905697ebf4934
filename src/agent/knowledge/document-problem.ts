/** Why a document cannot be searched, in words for whoever put it there. */
export class DocumentProblem extends Error {
  override readonly name = "DocumentProblem";
}
