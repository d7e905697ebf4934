/** One chunk for both screens: they share most of their code. */
export { default as CompareScreen } from "./compare-screen.tsx";
export { default as RankScreen } from "./rank-screen.tsx";
