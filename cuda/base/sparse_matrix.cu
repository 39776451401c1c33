// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/sparse_kernel.h>

#include <cuda/base/context.cuh>
#include <cuda/base/dynamic_library.cuh>
#include <cusparse.h>
#include <type_traits>

namespace Saltus
{
  namespace
  {
#define SALTUS_TEXT_OF(number) #number
#define SALTUS_TEXT(number) SALTUS_TEXT_OF(number)
    /// The major version, by which the files are numbered, is that of the header.
    constexpr const char *file_name = "libcusparse.so." SALTUS_TEXT(CUSPARSE_VER_MAJOR);
#undef SALTUS_TEXT
#undef SALTUS_TEXT_OF

    /// The functions of cuSPARSE that are needed.
    struct Cusparse
    {
      Cusparse()
      {
        library.load(create, "cusparseCreate");
        library.load(set_stream, "cusparseSetStream");
        library.load(error_string, "cusparseGetErrorString");
        library.load(create_csr, "cusparseCreateConstCsr");
        library.load(create_vector, "cusparseCreateDnVec");
        library.load(destroy_matrix, "cusparseDestroySpMat");
        library.load(destroy_vector, "cusparseDestroyDnVec");
        library.load(set_values, "cusparseDnVecSetValues");
        library.load(buffer_size, "cusparseSpMV_bufferSize");
        library.load(multiply, "cusparseSpMV");
#if CUDART_VERSION >= 12040
        library.load(preprocess, "cusparseSpMV_preprocess");
#endif
        if (!library.is_complete())
          throw std::runtime_error(std::string("CUDA's library cuSPARSE (") + file_name +
                                   "), with which algebraic multigrid works on GPUs, was not found "
                                   "or is too old. Install it, or use the device 'cpu'.");
      }

      DynamicLibrary                     library{file_name, "libcusparse.so"};
      decltype(&cusparseCreate)          create;
      decltype(&cusparseSetStream)       set_stream;
      decltype(&cusparseGetErrorString)  error_string;
      decltype(&cusparseCreateConstCsr)  create_csr;
      decltype(&cusparseCreateDnVec)     create_vector;
      decltype(&cusparseDestroySpMat)    destroy_matrix;
      decltype(&cusparseDestroyDnVec)    destroy_vector;
      decltype(&cusparseDnVecSetValues)  set_values;
      decltype(&cusparseSpMV_bufferSize) buffer_size;
      decltype(&cusparseSpMV)            multiply;
#if CUDART_VERSION >= 12040
      decltype(&cusparseSpMV_preprocess) preprocess;
#endif
    };

    const Cusparse &
    cusparse()
    {
      static const Cusparse functions;
      return functions;
    }

    void
    check_sparse(const cusparseStatus_t status, const char *what)
    {
      if (status != CUSPARSE_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuSPARSE: ") + what + ": " +
                                 cusparse().error_string(status));
    }

    /// One handle on the stream of each device.
    struct Handle
    {
      Handle()
      {
        check_sparse(cusparse().create(&handle), "starting the library");
        check_sparse(cusparse().set_stream(handle, CudaRuntime::stream()), "starting the library");
      }

      cusparseHandle_t handle;
    };

    cusparseHandle_t
    handle()
    {
      return CudaRuntime::of_current_device<Handle>().handle;
    }

    class DeviceBuffer
    {
    public:
      explicit DeviceBuffer(const std::size_t size)
        : size(size)
        , data(size == 0 ? nullptr : CudaRuntime::allocate(size))
      {}

      DeviceBuffer(const DeviceBuffer &) = delete;
      DeviceBuffer &
      operator=(const DeviceBuffer &) = delete;

      ~DeviceBuffer()
      {
        if (data != nullptr)
          CudaRuntime::release(data);
      }

      const std::size_t size;
      void *const       data;
    };

    /// cuSPARSE's descriptions of a matrix and of the two vectors of a product.
    template <typename Number>
    class Descriptors
    {
    public:
      static constexpr cudaDataType type =
        std::is_same<Number, double>::value ? CUDA_R_64F : CUDA_R_32F;

      /// @p src and @p dst are arrays of the sizes of the matrix
      Descriptors(const SparseArrays<Number> &arrays, Number *src, Number *dst)
      {
        const char *what = "describing a sparse matrix";
        check_sparse(cusparse().create_csr(&matrix,
                                           arrays.n_rows,
                                           arrays.n_columns,
                                           arrays.n_nonzeros,
                                           arrays.row_starts,
                                           arrays.columns,
                                           arrays.values,
                                           CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO,
                                           type),
                     what);
        check_sparse(cusparse().create_vector(&from, arrays.n_columns, src, type), what);
        check_sparse(cusparse().create_vector(&to, arrays.n_rows, dst, type), what);
      }

      Descriptors(const Descriptors &) = delete;
      Descriptors &
      operator=(const Descriptors &) = delete;

      ~Descriptors()
      {
        cusparse().destroy_matrix(matrix);
        cusparse().destroy_vector(from);
        cusparse().destroy_vector(to);
      }

      cusparseConstSpMatDescr_t matrix = nullptr;
      cusparseDnVecDescr_t      from = nullptr, to = nullptr;
    };

    constexpr int n_threads = 128;

    /// `dst = x + weight (b - A x)`; so many neighbouring threads do a row.
    template <int per_row, typename Number>
    __global__ void
    __launch_bounds__(n_threads) smoothing_kernel(const SparseArrays<Number> matrix,
                                                  const Number              *x,
                                                  const Number               weight,
                                                  const Number              *b,
                                                  Number                    *dst)
    {
      const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * n_threads + threadIdx.x;
      const std::size_t row    = thread / per_row;
      const int         rank   = thread % per_row;
      Number            sum    = 0;
      if (row < matrix.n_rows)
        for (int k = matrix.row_starts[row] + rank; k < matrix.row_starts[row + 1]; k += per_row)
          sum += matrix.values[k] * x[matrix.columns[k]];
      for (int distance = per_row / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance, per_row);
      if (row < matrix.n_rows && rank == 0)
        dst[row] = x[row] + weight * (b[row] - sum);
    }

    template <typename Number>
    class CudaSparseKernel : public SparseKernel<Number>
    {
    public:
      explicit CudaSparseKernel(const SparseArrays<Number> &arrays)
        : CudaSparseKernel(arrays,
                           DeviceBuffer((arrays.n_rows + arrays.n_columns) * sizeof(Number)))
      {}

      void
      apply(const Number  alpha,
            const Number *src,
            const Number  beta,
            const Number *other,
            Number       *dst) const override
      {
        const char *what = "multiplying by a sparse matrix";
        if (beta != Number(0) && other != dst)
          CudaRuntime::copy_on_device(dst, other, arrays.n_rows * sizeof(Number));
        check_sparse(cusparse().set_values(descriptors.from, const_cast<Number *>(src)), what);
        check_sparse(cusparse().set_values(descriptors.to, dst), what);
        check_sparse(cusparse().multiply(handle(),
                                         CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         &alpha,
                                         descriptors.matrix,
                                         descriptors.from,
                                         &beta,
                                         descriptors.to,
                                         Descriptors<Number>::type,
                                         algorithm,
                                         buffer.data),
                     what);
      }

      void
      smoothing_step(const Number *x,
                     const Number  weight,
                     const Number *b,
                     Number       *dst) const override
      {
        const std::size_t per_row = arrays.n_nonzeros / arrays.n_rows;
        if (per_row < 12)
          launch_smoothing<4>(x, weight, b, dst);
        else if (per_row < 48)
          launch_smoothing<16>(x, weight, b, dst);
        else
          launch_smoothing<32>(x, weight, b, dst);
      }

      std::size_t
      buffer_size() const override
      {
        return buffer.size;
      }

    private:
      template <int per_row>
      void
      launch_smoothing(const Number *x, const Number weight, const Number *b, Number *dst) const
      {
        const std::size_t n_blocks = (arrays.n_rows * per_row + n_threads - 1) / n_threads;
        smoothing_kernel<per_row>
          <<<n_blocks, n_threads, 0, CudaRuntime::stream()>>>(arrays, x, weight, b, dst);
        CudaRuntime::check_launch("a smoother");
      }

      /// The one whose results are the same in every run.
      static constexpr cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_CSR_ALG2;

      /// @p scratch: vectors that the analysis of the matrix asks for
      CudaSparseKernel(const SparseArrays<Number> &arrays, const DeviceBuffer &scratch)
        : arrays(arrays)
        , descriptors(arrays,
                      static_cast<Number *>(scratch.data),
                      static_cast<Number *>(scratch.data) + arrays.n_columns)
        , buffer(wanted_buffer_size(descriptors))
      {
#if CUDART_VERSION >= 12040
        const Number alpha = 1, beta = 0;
        check_sparse(cusparse().preprocess(handle(),
                                           CUSPARSE_OPERATION_NON_TRANSPOSE,
                                           &alpha,
                                           descriptors.matrix,
                                           descriptors.from,
                                           &beta,
                                           descriptors.to,
                                           Descriptors<Number>::type,
                                           algorithm,
                                           buffer.data),
                     "analysing a sparse matrix");
#endif
      }

      static std::size_t
      wanted_buffer_size(const Descriptors<Number> &descriptors)
      {
        const Number alpha = 1, beta = 0;
        std::size_t  size = 0;
        check_sparse(cusparse().buffer_size(handle(),
                                            CUSPARSE_OPERATION_NON_TRANSPOSE,
                                            &alpha,
                                            descriptors.matrix,
                                            descriptors.from,
                                            &beta,
                                            descriptors.to,
                                            Descriptors<Number>::type,
                                            algorithm,
                                            &size),
                     "analysing a sparse matrix");
        return size;
      }

      const SparseArrays<Number> arrays;
      const Descriptors<Number>  descriptors;
      const DeviceBuffer         buffer;
    };
  } // namespace

  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &arrays)
  {
    return std::make_unique<const CudaSparseKernel<Number>>(arrays);
  }

  template std::unique_ptr<const SparseKernel<double>>
  make_cuda_sparse_kernel(const SparseArrays<double> &);
  template std::unique_ptr<const SparseKernel<float>>
  make_cuda_sparse_kernel(const SparseArrays<float> &);
} // namespace Saltus
