// The parts of echarts that can be imported alone are ES modules, which TypeScript keeps CommonJS files from importing. They are bundled,
// or transformed, wherever they are used here; their types are those of the whole package.
declare module 'echarts/core' {
  export { type EChartsCoreOption, init, use } from 'echarts';
}
declare module 'echarts/charts' {
  type Extension = Parameters<typeof import('echarts').use>[0];
  export const BarChart: Extension;
  export const LineChart: Extension;
  export const ScatterChart: Extension;
}
declare module 'echarts/components' {
  type Extension = Parameters<typeof import('echarts').use>[0];
  export const GridSimpleComponent: Extension;
  export const LegendPlainComponent: Extension;
  export const MarkLineComponent: Extension;
}
declare module 'echarts/renderers' {
  type Extension = Parameters<typeof import('echarts').use>[0];
  export const SVGRenderer: Extension;
}
