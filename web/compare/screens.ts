/** The screens on which runs stand beside each other, in one file: they share most of what they show. */
export { default as CompareScreen } from "./compare-screen.tsx";
export { default as RankScreen } from "./rank-screen.tsx";
