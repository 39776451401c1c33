// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The grammar's mistakes, and expressions in C against deal.II's FunctionParser: compiled by the
// host compiler, and the kernels on a GPU.
#include <deal.II/base/function_parser.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/memory.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/base/expressions/batch_function.h>
#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/base/expressions/point_function.h>
#include <saltus/io/functions/quantity_expression.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <random>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  const std::map<std::string, double> constants = {{"gamma", 1.4}, {"shift", -0.25}, {"n_2", 3.}};

  /// Expressions in x, y, t and the constants. The points are positive, away from 0 and 1.
  const std::vector<std::string> texts = {
    "1",
    ".5 + 2. + 1e-3 + 1.5E+2 + 2e0",
    "x + y*t - x/y",
    "x - y - t",
    "x / y / t",
    "x / y * t",
    "2^3^x",
    "-x^2",
    "(-x)^2",
    "x^-y",
    "x^-y^2",
    "-x*y + +t",
    "2*-x",
    "x - -y",
    "-shift^2",
    "shift*gamma + pi + n_2",
    "x < y",
    "(x <= y) + 2*(x >= y) + 4*(x == x) + 8*(x != x) + 16*(x > y)",
    "x < y && y < t || t < x",
    "x < y || y < t && t < x",
    "x < y + 0.1 == 1",
    "x < y ? 1 : 2",
    "x < y ? y < t ? 1 : 2 : t < 1 ? 3 : 4",
    "x*2 > y ? x : y",
    "1 + (x < y ? 10 : 20) * 2",
    "if(x < 0.5, y, t)",
    "if(x < 1/6 + (1 + 20*t)/sqrt(3), 8, 1.4)",
    "if(x < y && y < t, if(x < 0.4, 1, 2), 3)",
    "min(x, y, t) + 10*max(x, y, t)",
    "sin(x)*cos(y)/tan(t)",
    "asin(x/9) + acos(y/9) + atan(t) + atan2(y, x)",
    "sinh(x) + cosh(y) + tanh(t) + asinh(x) + acosh(1 + y) + atanh(t/9)",
    "log2(x) + log10(y) + log(t) + ln(x + y) + exp(-x)",
    "sqrt(x) + abs(x - y) + sign(x - y) + ceil(10*y) + floor(10*t)",
    "int(10*x) + int(-10*y) + cot(x) + csc(y) + sec(t)",
    "int(2.5) + 10*int(3.5) + 100*int(-2.5) + 1000*int(0.49)",
    "(0.1*x && 1) + 2*(0.1*x || 0)",
    "if(0.3, 1, 2) + 10*if(0.5, 1, 2) + 100*if(-0.6, 1, 2) + 1000*(0.3 ? 1 : 2)",
    "pow(x, y) + erfc(y)",
    "exp(-((x-0.3)^2 + (y+0.2)^2)/(2*0.1^2))",
    "(1+0.2*2.25^2*abs(1-1/(x*x+y*y)))^2.5",
    "((((x))))"};

  std::string
  all_texts()
  {
    std::string all;
    for (const std::string &text : texts)
      all += (all.empty() ? "" : ";") + text;
    return all;
  }

  std::vector<Point<2>>
  points()
  {
    std::vector<Point<2>> list;
    for (unsigned int i = 0; i < 200; ++i)
      list.emplace_back(0.1 + 0.0137 * ((37 * i) % 191), 0.15 + 0.0121 * ((53 * i) % 199));
    return list;
  }

  constexpr double present = 0.617;

  /// `[point][component]` by deal.II.
  std::vector<double>
  expected(const std::string &text, const unsigned int n_components, const double t = present)
  {
    FunctionParser<2> parser(n_components);
    auto              all = constants;
    all.emplace("pi", numbers::PI);
    parser.initialize("x,y,t", text, all, true);
    parser.set_time(t);
    std::vector<double> values;
    for (const Point<2> &point : points())
      for (unsigned int c = 0; c < n_components; ++c)
        values.push_back(parser.value(point, c));
    return values;
  }

  void
  expect_close(const std::vector<double> &values,
               const std::vector<double> &wanted,
               const double               tolerance)
  {
    ASSERT_EQ(values.size(), wanted.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], wanted[i], tolerance * (1 + std::abs(wanted[i])))
        << texts[i % texts.size()] << " at " << points()[i / texts.size()];
  }
} // namespace

TEST(Expression, Constants)
{
  const Expression constant(2, "exp(0); gamma*max(1, 2)", 2, constants);
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.constant_values(), (std::vector<double>{1., 2.8}));
  EXPECT_EQ(Expression(2, "(1<0&&1||-1<0)+2*(1&&-1)", 1).constant_values()[0], 3.);
  for (const std::string name : {"sum", "rint", "rand", "erf", "_pi", "_e"}) // not in the grammar
    EXPECT_EQ(Expression(2, "2*" + name, 1, {{name, 7.}}).constant_values()[0], 14.) << name;
  for (const std::string text : {"x", "2*y", "sin(t)", "if(x<0,1,2)"})
    EXPECT_FALSE(Expression(2, text, 1).is_constant()) << text;
  EXPECT_FALSE(Expression(3, "z", 1).is_constant());
}


TEST(Expression, Mistakes)
{
  const auto refusal = [](const std::string &text) {
    testing::internal::CaptureStderr();
    const std::string message = message_of([&]() {
      Expression(2, text, std::count(text.begin(), text.end(), ';') + 1, {{"a", 1.}}, "Entry");
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << text; // one message
    return message;
  };
  EXPECT_EQ(refusal("1; 2*x+0,5"),
            "Entry: cannot use the expression '1; 2*x+0,5'. The comma after ' 2*x+0' separates no "
            "arguments of a function. Decimals are written with a point, 0.5, and components are "
            "separated by ';'.");
  EXPECT_EQ(
    refusal("z"),
    "Entry: cannot use the expression 'z'. 'z' is no known name. Names are a, pi, t, x, y.");
  const std::vector<std::pair<std::string, std::vector<std::string>>> mistakes = {
    {"'foo' is no function. Functions are abs, acos, ", {"1; foo(x)", "x+foo (y)"}},
    {"is no function. Functions are",
     {"rand()", "rand_seed(3)", "sum(x, y)", "rint(x)", "pi(2)", "erf(x)"}},
    {"is no known name. Names are", {"_pi", "_e", "X", "x+_", "sine"}},
    {"'and y < 1, 2, 3)' is not understood. Conditions are joined by && and ||.",
     {"if(x < 1 and y < 1, 2, 3)"}},
    {"Conditions are joined by && and ||.", {"x < 1 & y < 1", "x < 1 | y", "x or y", "!x"}},
    {"separates no arguments", {"0,5", "x*(0,5)", "max(0,5, x)", "sqrt(x)+min(y, 1,5)"}},
    {"Decimals are written with a point", {"if(x<0,5, 1, 2)", "sin(0,5)", "pow(0,5, 2)"}},
    {"takes 1 argument, not 0", {"sin()"}},
    {"takes 1 argument, not 2", {"sin(x, y)"}},
    {"takes 3 arguments, not 2", {"if(x, y)"}},
    {"takes 2 or more arguments, not 1", {"max(x)", "1 + min (sqrt(pow(x, 2)))", "max(x); 2"}},
    {"stand in parentheses", {"sin", "2*sin x"}},
    {"is no comparison", {"if(x=0.7, 2, 1)", "x = y", "=x"}},
    {"begins with no number", {".", "1.2.3", "2x", "1e", "1e400", "0x10"}},
    {"An operand is missing", {"", "1; ", "x+", "sin("}},
    {"')' is missing at its end", {"(x", "sin(x", "max(x, y"}},
    {"':' is missing at its end", {"x ? y"}},
    {"is not understood", {"x y", "x)", "x % y", "- -x", "x - +-y", "\"x\"", "[x]", "\xe9", "x $"}},
    {"nests more than 500 operations",
     {std::string(300, '(') + "x" + std::string(300, ')'),
      [] {
        std::string tower = "x", chain = "x";
        for (unsigned int i = 0; i < 600; ++i)
          tower += "^x";
        return tower;
      }(),
      [] {
        std::string chain;
        for (unsigned int i = 0; i < 600; ++i)
          chain += "x?1:";
        return chain + "2";
      }()}},
    {"has 6001 characters", {std::string(6000, '-') + "x"}}};
  for (const auto &[message, texts] : mistakes)
    for (const std::string &text : texts)
      EXPECT_TRUE(contains(refusal(text), message)) << text << ": " << refusal(text);
  std::string sum = "x";
  for (unsigned int i = 0; i < 1000; ++i)
    sum += "+x";
  for (const std::string &text : std::vector<std::string>{"if(x == 0.7, 2, 1)",
                                                          "x <= y",
                                                          "x>=y",
                                                          "x!=y",
                                                          "if(x<y,1,2)",
                                                          "max(x,0); min(1, 2)",
                                                          "max(1.5,2)",
                                                          "pow(2,3)",
                                                          " x\t+ a ",
                                                          sum})
    EXPECT_EQ(refusal(text), "") << text;
}


// Neither parser sees a text that the grammar rejects.
TEST(Expression, ParserTakesWhatTheGrammarAccepts)
{
  const std::vector<std::string> parts = {"x",    "y", "t",  "1",   "0.5",  ".5e-2", "+",
                                          "-",    "*", "/",  "^",   "(",    ")",     ",",
                                          ", ",   " ", "?",  ":",   "<",    "==",    "&&",
                                          "||",   "=", "&",  "if(", "max(", "sin(",  "int(",
                                          "pow(", "e", "pi", "_"};
  std::minstd_rand               random(1);
  unsigned int                   n_accepted = 0;
  for (unsigned int i = 0; i < 6000; ++i)
    {
      std::string text;
      for (unsigned int n = 1 + random() % 8; n > 0; --n)
        text += parts[random() % parts.size()];
      std::vector<ParsedExpression> accepted;
      if (message_of([&]() { accepted = parse_expressions(text, 1, 2, {}, {}, "Entry"); }) != "")
        continue;
      ++n_accepted;
      EXPECT_EQ(message_of([&]() { Expression(2, text, 1); }), "") << text;
      EXPECT_EQ(message_of([&]() { QuantityExpression(2, text, {}, {}, "Entry"); }), "") << text;
    }
  EXPECT_GT(n_accepted, 150u);
}


TEST(Expression, TranslationLikeFunctionParser)
{
  const auto components = in_c(Expression(2, all_texts(), texts.size(), constants));

  std::string text = "#include <math.h>\n#define FUNCTION static\n" +
                     std::string(translated_functions) +
                     "void evaluate(double x, double y, double t, double *values)\n{\n";
  for (std::size_t c = 0; c < texts.size(); ++c)
    text += "  values[" + std::to_string(c) + "] = " + components[c] + ";\n";
  const TemporaryDirectory directory;
  const std::string        source  = directory.path + "/expression.c";
  const std::string        library = directory.path + "/expression.so";
  write_text(source, text + "}\n");
  const std::string command = "cc -O1 -shared -fPIC -o " + library + " " + source + " -lm";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  void *const handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto evaluate =
    reinterpret_cast<void (*)(double, double, double, double *)>(dlsym(handle, "evaluate"));
  std::vector<double> values(points().size() * texts.size());
  for (std::size_t i = 0; i < points().size(); ++i)
    evaluate(points()[i][0], points()[i][1], present, values.data() + i * texts.size());
  expect_close(values, expected(all_texts(), texts.size()), 1e-14);
  dlclose(handle);
}

// The third evaluator: of integrals.
TEST(Expression, OfQuantitiesLikeFunctionParser)
{
  std::vector<QuantityExpression> functions;
  for (const std::string &text : texts)
    functions.emplace_back(2, text, std::vector<std::string>{}, constants, "here");
  std::vector<double> values;
  for (const Point<2> &point : points())
    for (QuantityExpression &function : functions)
      values.push_back(function.value(point.begin_raw(), present, nullptr));
  expect_close(values, expected(all_texts(), texts.size()), 1e-14);

  EXPECT_MESSAGE(QuantityExpression(2, "max(0,5, x)", {}, {}, "Entry"),
                 "Entry: cannot use the expression 'max(0,5, x)'. The comma after 'max(0'");
}

// The fourth one: of errors. An earlier expression and components that are not asked for take no
// part.
TEST(Expression, InBatchesLikeFunctionParser)
{
  BatchFunction function;
  function.add(Expression(2, "t; x + t; log(x - 1e9)", 3), 1, 1);
  function.add(Expression(2, all_texts(), texts.size(), constants), 0, texts.size());
  const std::size_t   n = points().size();
  std::vector<double> coordinates(2 * n), values;
  for (std::size_t i = 0; i < n; ++i)
    for (unsigned int d = 0; d < 2; ++d)
      coordinates[d * n + i] = points()[i][d];
  function.evaluate(2, coordinates.data(), 0.); // fewer points, another time
  function.evaluate(n, coordinates.data(), present);
  for (std::size_t i = 0; i < n; ++i)
    {
      EXPECT_EQ(function.values(0)[i], points()[i][0] + present);
      for (std::size_t c = 0; c < texts.size(); ++c)
        values.push_back(function.values(1 + c)[i]);
    }
  expect_close(values, expected(all_texts(), texts.size()), 1e-14);
}

// The tests look at all that the grammar knows.
TEST(Expression, AllFunctionsAndOperators)
{
  const std::string all     = all_texts();
  std::string       message = message_of([]() { Expression(2, "f()", 1); });
  message                   = message.substr(message.find("Functions are ") + 14);
  message.pop_back();
  for (const std::string &function : Utilities::split_string_list(message))
    EXPECT_TRUE(contains(all, function + '(')) << function;
  for (const std::string symbol : {" || ",
                                   " && ",
                                   " <= ",
                                   " >= ",
                                   " != ",
                                   " == ",
                                   " < ",
                                   " > ",
                                   " + ",
                                   " - ",
                                   " * ",
                                   " / ",
                                   "^",
                                   " ? "})
    EXPECT_TRUE(contains(all, symbol)) << symbol;
}

TEST(Expression, TranslationsOfNestedFunctionsAreShort)
{
  std::string text = "x";
  for (unsigned int i = 0; i < 20; ++i)
    text = "int(sign(" + text + "))";
  EXPECT_LT(in_c(Expression(2, text, 1))[0].size(), 1000);
}

TEST(Expression, SourceCompiles)
{
  const Expression expression(2, all_texts(), texts.size(), constants);
  if (std::string reason; !Nvrtc::is_available(reason))
    GTEST_SKIP() << reason;
  for (const char *number : {"double", "float"})
    EXPECT_NO_THROW(KernelCompiler::wait(
      KernelCompiler::compile(point_program(expression, number), GpuLimits::of(90))));
}

class PointFunctionTest : public OnDevice
{};

TEST_P(PointFunctionTest, LikeFunctionParser)
{
  const Device        device = this->device();
  std::vector<double> coordinates;
  for (const Point<2> &point : points())
    coordinates.insert(coordinates.end(), point.begin_raw(), point.end_raw());
  const Memory<double> at(device, coordinates);
  Memory<double>       values(device, points().size() * texts.size());
  Memory<TimeState>    state(device, 1);
  const auto           set_time = [&](const double t) {
    TimeState s;
    s.time = t - 0.05;
    s.dt   = 0.1;
    state.copy_from_host(&s);
  };
  const PointFunction<double> function(Expression(2, all_texts(), texts.size(), constants), device);
  const auto                  evaluate = [&]() {
    function.evaluate(points().size(), at.data(), state.data(), 0.5, values.data());
  };
  set_time(present);
  evaluate();
  // A GPU's elementary functions are good to a few units in the last place.
  expect_close(values.to_host(), expected(all_texts(), texts.size()), 1e-13);

  if (!device.is_cuda())
    {
      set_time(0.25);
      evaluate();
      expect_close(values.to_host(), expected(all_texts(), texts.size(), 0.25), 1e-13);
      return;
    }
  CudaRuntime::Graph graph;
  graph.record(evaluate);
  set_time(0.25);
  graph.launch();
  expect_close(values.to_host(), expected(all_texts(), texts.size(), 0.25), 1e-13);
}

/// Which takes much longer than a value at one point.
TEST(PointFunction, IsParsedOnce)
{
  using Clock         = std::chrono::steady_clock;
  const auto quickest = [](const auto &body) {
    Clock::duration result = Clock::duration::max();
    for (unsigned int i = 0; i < 20; ++i)
      {
        const auto start = Clock::now();
        body();
        result = std::min(result, Clock::now() - start);
      }
    return result;
  };
  const Expression            expression(2, all_texts(), texts.size(), constants);
  const PointFunction<double> function(expression, Device::cpu());
  const TimeState             state;
  std::vector<double>         point(2, 0.5), values(texts.size());
  const auto                  evaluated =
    quickest([&]() { function.evaluate(1, point.data(), &state, 0., values.data()); });
  const auto parsed = quickest([&]() { parsed_function<2>(expression)->value(Point<2>()); });
  EXPECT_LT(evaluated, parsed / 4);
}

INSTANTIATE_TEST_SUITE_P(, PointFunctionTest, testing::Values("cpu", "cuda"), [](const auto &info) {
  return info.param;
});
